"""What all recipes of one file share: its tokens, its layout, its blocks, its syntax. Made once for each file."""

from functools import lru_cache

from jaxfix.rewrite.blocks import Blocks
from jaxfix.rewrite.cst import ConcreteSyntax
from jaxfix.rewrite.folding import Folding
from jaxfix.rewrite.grouping import Grouping
from jaxfix.rewrite.imports import Imports
from jaxfix.rewrite.layout import Layout
from jaxfix.rewrite.removing import Removals
from jaxfix.semantic.module import Module
from jaxfix.source.frozen import frozen
from jaxfix.source.tokens import Token, tokens


@frozen
class Ground:
    """One file, as the verbs see it; nothing in it depends on a recipe."""

    tokens: tuple[Token, ...]
    layout: Layout
    blocks: Blocks
    imports: Imports
    syntax: ConcreteSyntax
    folding: Folding
    grouping: Grouping
    removals: Removals


# That of one file alone is kept, for trees that stay slow down every parse.
@lru_cache(maxsize=1)
def ground(module: Module) -> Ground:
    """What the recipes of `module` share."""
    found = tuple(tokens(module.source.text))
    layout = Layout.of(module.source, found, module.surroundings.columns)
    blocks = Blocks(module, found, layout.indent)
    return Ground(
        tokens=found,
        layout=layout,
        blocks=blocks,
        imports=Imports(module, blocks),
        syntax=ConcreteSyntax(module),
        folding=Folding(module.source, layout, found),
        grouping=Grouping(found),
        removals=Removals(module, blocks, found, layout.newline),
    )
