"""A random key used twice.

A key determines its random numbers: a second draw from it gives the same bits. Two `normal` of one key
are equal, `normal` and `uniform` of one key are fully dependent (their ranks are the same), and noise drawn from one
key in each iteration of a loop is the same noise every time. Nothing fails: results are silently wrong.

Before:
    import jax

    jax.config.update("jax_debug_key_reuse", True)


    def data(key, n):
        inputs = jax.random.normal(key, (n,))
        noise = jax.random.uniform(key, (n,))
        return inputs, noise


    data(jax.random.key(0), 3)

After:
    import jax

    jax.config.update("jax_debug_key_reuse", True)


    def data(key, n):
        key, key_for_inputs = jax.random.split(key)
        inputs = jax.random.normal(key_for_inputs, (n,))
        noise = jax.random.uniform(key, (n,))
        return inputs, noise


    data(jax.random.key(0), 3)

Safety: on request. A split key changes all random numbers that follow, so a person has to decide. `jaxfix apply
--split-keys` writes the split: the first use gets one part of the key, everything after it the other. Without the
option the finding is a report. Not split: elements (`keys[0]`), keys in comprehensions, lambdas, conditions and
notebooks, keys that another function or `locals` reads, and deleted keys.

Certain are two calls in one function if one always leads to the other and their numbers depend on each other.
Possible are loops, functions of the file that consume their argument, keys that are both split and drawn from, pairs
such as `permutation` and `randint`, whose numbers showed no dependence, and equal calls in two blocks. A key at the
top of a file is the same at each call of a function.

Not reported: equal calls that are printed or compared, lines with a comment about the shared key, `permutation` and
`choice` of arrays that belong together, numbers that a later line replaces unread, notebook cells that start from the
same key, `fold_in`, and branches that exclude each other. Calls of other files are not followed.

Evidence: with `jax_debug_key_reuse`, jax raises at a key that is used twice: before the change, and nowhere after it.
The checker needs keys of `jax.random.key`, so a proof replaces `jax.random.PRNGKey` by them; they draw the same
numbers. The same split is also made of another key: what both runs have in common does not depend on the random
numbers, and must be bitwise equal to the original; of all else, structure, shapes and dtypes must stay. Other fixes
are then compared with the split in both runs.

Source: https://docs.jax.dev/en/latest/random-numbers.html and
https://docs.jax.dev/en/latest/jax.experimental.key_reuse.html
"""

import ast
from collections.abc import Iterable, Iterator

from jaxfix.api import Codemod, Equality, Finding, Module, Proves, Safety
from jaxfix_codemods.key_reuse.flow import Pair, pairs
from jaxfix_codemods.key_reuse.telling import finding, is_worth_telling, of_each_leaf
from jaxfix_codemods.key_reuse.uses import USING, Use, leaves_of, uses


def find(module: Module) -> Iterator[Finding]:
    if module.source.holds_tests:
        return
    found = uses(module)
    for group in _by_key(module, found):
        told = (pair for pair in pairs(module, group) if is_worth_telling(module, pair))
        yield from (finding(module, pair) for pair in _told(told))
    for use in found:
        taker = leaves_of(module, use)
        if taker is not None:
            yield of_each_leaf(module, use, taker)


def _by_key(module: Module, found: tuple[Use, ...]) -> Iterator[tuple[Use, ...]]:
    """The uses of each key that may be more than one, in the function that binds it, or reads one of the file."""
    groups: dict[tuple[object, str], list[Use]] = {}
    for use in found:
        scope = module.scope_of(use.variable.id, use.variable)
        function = module.function(use.at)
        is_own = scope is not None and scope is (function or module.tree)
        if is_own and _is_bound_here(module, use):
            groups.setdefault((scope, use.key), []).append(use)
        elif function is not None and scope is module.tree and not use.element and _is_constant(module, use):
            groups.setdefault((function, use.key), []).append(use)
    for group in groups.values():
        if len(group) > 1 or module.loops(group[0].at):
            yield tuple(sorted(group, key=lambda use: (use.at.lineno, use.at.col_offset)))


def _is_constant(module: Module, use: Use) -> bool:
    """Whether the file makes the key once, at its top, for all that reads it."""
    only = module.names.only_binding(use.variable)
    return only is not None and isinstance(only.node, ast.Name) and not module.loops(only.node)


def _is_bound_here(module: Module, use: Use) -> bool:
    """Whether no other function binds it, and no method changes what it holds."""
    scope = module.scope_of(use.variable.id, use.variable)
    bindings = module.bindings(use.variable.id, scope)
    if any(module.function(b.node) is not module.function(use.at) for b in bindings if not isinstance(b.node, ast.arg)):
        return False
    reads = module.reads(use.variable.id, scope) if use.element else ()
    return not any(isinstance(module.parent(read), ast.Attribute) for read in reads)


def _told(found: Iterable[Pair]) -> Iterator[Pair]:
    """For each second use the first one that it goes with."""
    second: dict[Use, Pair] = {}
    for pair in found:
        second.setdefault(pair.second, pair)
    yield from second.values()


CODEMOD = Codemod(
    id="key-reuse",
    triggers=USING,
    safety=Safety.ON_REQUEST,
    equality=Equality.OTHER_NUMBERS,
    find=find,
    proves=Proves.KEYS_USED_ONCE,
)
