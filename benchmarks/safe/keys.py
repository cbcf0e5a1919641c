"""A function of a random program that takes dictionaries whose keys are equal, and perhaps not the same."""

from benchmarks.safe.drawing import Draw
from benchmarks.safe.templates import templates

_SITES = templates("keys.txt")
OPERATIONS = {
    "same": "c",
    "mapped": "jax.tree.map(lambda leaf: leaf * 2.0, c)",
    "comprehension": "{k: v * 0.5 for k, v in c.items()}",
    "chosen": "dict(c) | {next(iter(c)): 1.0}",
    "added": "jax.tree.map(jnp.add, c, c)",
}
CLASSES = """class Part(str, enum.Enum):
    W = "1"


class Level(enum.IntEnum):
    ONE = 1


class Factory:
    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Factory)

    def __hash__(self):
        return 0

    def __repr__(self):
        return self.name
"""
VALUES = {
    "whole numbers": ("1", "1"),
    "texts": ('"1"', '"1"'),
    "truth": ("1", "True"),
    "fractions": ("1", "1.0"),
    "of NumPy": ("1", "np.int64(1)"),
    "text of NumPy": ('"1"', 'np.str_("1")'),
    "enumeration": ('"1"', "{home}.Part.W"),
    "whole enumeration": ("1", "{home}.Level.ONE"),
    "zeros": ("0.0", "-0.0"),
    "decimal": ('decimal.Decimal("1")', 'decimal.Decimal("1.0")'),
    "pairs": ("(1, 2)", "(True, 2)"),
}
MADE = {
    "written": "{{{key}: {value}}}",
    "variable": "[{{k: {value}}} for k in [{key}]][0]",
    "comprehension": "{{k: {value} for k in [{key}]}}",
    "zipped": "dict(zip([{key}], [{value}]))",
    "from keys": "dict.fromkeys([{key}], {value})",
    "pairs": "dict([({key}, {value})])",
    "ordered": "collections.OrderedDict([({key}, {value})])",
    "default": "collections.defaultdict({home}.Factory({text}), a={value})",
    "default list": "collections.defaultdict(list, {{{key}: {value}}})",
    "put in": "{home}.put({key}, {value})",
    "set": "{home}.filled({key}, {value})",
    "unique": "{{k: {value} for k in np.unique(np.array([{key}]))}}",
}
FILLED = """def put(key, value):
    found = {}
    found[key] = value
    return found


def filled(key, value):
    found = {}
    found.setdefault(key, value)
    return found
"""


def site(draw: Draw, name: str) -> tuple[str, tuple[str, ...], str]:
    """The statements of the module, the calls, and the statements of another file that makes the keys."""
    text = draw.one("site", list(_SITES.values())).replace("{f}", name)
    text = text.replace("OPERATION", draw.one("operation", list(OPERATIONS.values())))
    keys = draw.hazard("keys", VALUES, calm=0.1)
    made = draw.one("made", list(MADE.values()))
    home = "shapes" if draw.one("elsewhere", (False, True)) else "case"
    calls = tuple(
        f'show("{name}", case.{name}, '
        + made.format(key=key.format(home=home), value="jnp.ones(3)", home=home, text=repr(number))
        + ")"
        for number, key in enumerate((*keys, keys[0]))
    )
    classes = f"{CLASSES.strip()}\n\n\n{FILLED.strip()}"
    is_needed = any(f"{home}." in call.partition(f"case.{name}, ")[2] for call in calls)
    if not is_needed:
        return text, calls, ""
    return (text, calls, classes) if home == "shapes" else (f"{classes}\n\n\n{text}", calls, "")
