"""What else `import *` may have bound is not known."""

from jax import *

from helpers import *

print(tree_map(lambda x: x + 1, [1]))
