"""A function of a random program whose argument is a pytree of the program's own class, with static data."""

from benchmarks.safe.drawing import Draw
from benchmarks.safe.templates import templates

_TEXTS = templates("trees.txt")
_SITES = templates("tree_uses.txt")
REGISTERED = {
    "dataclass": (
        "@functools.partial(jax.tree_util.register_dataclass,"
        ' data_fields=["v"], meta_fields=["settings"])\n@dataclass\n',
        "",
    ),
    "node class": (
        "@jax.tree_util.register_pytree_node_class\n@dataclass\n",
        "\n    def tree_flatten(self):\n        return (self.v,), self.settings\n\n    @classmethod\n"
        "    def tree_unflatten(cls, settings, leaves):\n        return cls(*leaves, settings)\n",
    ),
    "node": (
        "@dataclass\n",
        "\n\njax.tree_util.register_pytree_node(\n"
        "    Tree{f}, lambda t: ((t.v,), t.settings), lambda s, l: Tree{f}(*l, s)\n)\n",
    ),
}
EQUAL = {
    "identity": "",
    "always": "\n    def __eq__(self, other):\n        return True\n\n    def __hash__(self):\n        return 0\n",
}
OPERATIONS = {
    "none": "e.v",
    "method": "e.update(x).v",
    "mean": "e.mean()",
    "get": "e.get('a')",
    "item": "e[0]",
    "times": "(e * 2).v",
    "other side": "(2 * e).v",
    "plus": "(e + x).v",
    "negative": "(-e).v",
    "product": "(e @ x).v",
    "call": "e(x).v",
    "transposed": "e.T.v",
    "shape": "e.v * e.shape[0]",
    "length": "e.v * len(e)",
    "iterated": "next(iter(e))",
    "unpacked": "[*e][0]",
    "contained": "e.v * (1.0 if 'a' in e else 2.0)",
    "equal": "e.v * (1.0 if e == x else 2.0)",
    "truth": "e.v * (1.0 if e else 2.0)",
    "number": "e.v * float(e)",
    "text": "e.v * float(f'{e}')",
    "static": "e.v * e.settings.rate",
    "stopped": "e.v * lax.stop_gradient(e).settings.rate",
    "mapped": "jax.tree.map(lambda leaf: leaf * 2, e).mean()",
    "attribute": "e.v * getattr(e, 'settings').rate",
    "array": "jnp.asarray(e)",
    "added": "jnp.add(e, x)",
    "cast": "e.astype(x.dtype)",
    "function": "rated(e)",
    "name": "rated(same(e))",
    "leaves": "jax.tree.leaves(e)[0]",
    "structure": "e.v * jax.tree.unflatten(jax.tree.structure(e), [1.0]).settings.rate",
    "pattern": "matched(e)",
    "type": "e.v * type(e).mean(e)",
    "held": "[e][0].mean()",
    "dictionary": "dict(e=e)['e'].mean()",
    "sum": "sum([e], start=1.0).v",
    "maximum": "jnp.maximum(e.v, max([e], key=lambda t: 0).mean())",
}


def site(draw: Draw, name: str) -> tuple[str, tuple[str, ...], str]:
    """The statements of the module, the calls, and the statements of another file that the class may stand in."""
    register, registered = draw.one("register", list(REGISTERED.values()))
    equal = draw.one("equal", list(EQUAL.values()))
    operation = draw.hazard("static data", OPERATIONS, calm=0.1)
    chosen = draw.one("site", list(_SITES.values()))
    made = _TEXTS["class"].format(f=name, register=register, registered=registered.format(f=name), equal=equal)
    objects = f"SETTINGS{name} = Settings{name}(0.5)\nTREE{name} = Tree{name}(jnp.arange(1.0, 4.0), SETTINGS{name})"
    functions = _TEXTS["functions"].format(f=name)
    used = "\n\n\n".join(part for part in functions.split("\n\n\n") if part.split("(")[0][4:] in operation)
    text = chosen.replace("{f}", name).replace("OPERATION", operation)
    is_elsewhere = draw.hazard("another file: class", {"none": False, "of the tree": True}, calm=0.5)
    if is_elsewhere and "matched" in used:
        is_elsewhere = False  # it names the class
    home = "shapes" if is_elsewhere else "case"
    call = f'show("{name}", case.{name}, {home}.TREE{name}, jnp.ones(3))'
    tree = f"{home}.Tree{name}(jnp.arange(1.0, 4.0), {home}.Settings{name}(2.0))"
    calls = (call, f"{home}.SETTINGS{name}.rate *= 2", call)
    calls += (f'show("{name}", case.{name}, {tree}, jnp.ones(3))',) if equal else ()
    classes, functions = f"{made.strip()}\n\n\n{objects}", "\n\n\n".join(part for part in (used, text) if part)
    return (functions, calls, classes) if is_elsewhere else (f"{classes}\n\n\n{functions}", calls, "")
