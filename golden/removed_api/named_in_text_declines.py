"""Names in texts: `getattr` with a default asks whether there is one."""

import jax

tree_map = getattr(jax, "tree_map")  # want: removed-api (no fix): in a string
tie_in = getattr(jax.lax, "tie_in")  # want: removed-api (no fix): in a string
perhaps = getattr(jax, "tree_map", None)
leaves = getattr(jax.tree_util, "tree_leaves")
own = getattr(tie_in, "tree_map")
