"""What the random programs are made of: each table begins with what is usual."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kept:
    """Something that the module keeps, a body reads, and other code may change.

    Attributes:
      define: statements of the module.
      name: the global that is rebound.
      values: what it may be rebound to.
      mutations: statements that change the object instead; `{m}` is the module.
    """

    define: str
    read: str
    name: str
    values: tuple[str, ...]
    mutations: tuple[str, ...] = ()


KEPT = {
    "constant": Kept("RATE = 2.0", "RATE", "RATE", ("5.0", "3", "'odd'")),
    "private": Kept("_rate = 2.0", "_rate", "_rate", ("5.0",)),
    "variable": Kept("rate = 2.0", "rate", "rate", ("5.0",)),
    "derived": Kept("BASE = 2.0\nDOUBLE = 2 * BASE", "DOUBLE", "DOUBLE", ("5.0",)),
    "table": Kept(
        'TABLE = {"gain": 2.0}',
        'TABLE["gain"]',
        "TABLE",
        ('{"gain": 5.0}',),
        (
            '{m}.TABLE["gain"] = 5.0',
            "{m}.TABLE.update(gain=5.0)",
            'kept = {m}.TABLE\nkept["gain"] = 5.0',
            "fill({m}.TABLE)",
            "{m}.TABLE.clear()",
        ),
    ),
    "list": Kept(
        "STEPS = [1.0, 2.0]", "STEPS[0]", "STEPS", ("[5.0]",), ("{m}.STEPS[0] = 5.0", "{m}.STEPS.insert(0, 5.0)")
    ),
    "tuple": Kept("PAIR = (1.0, 2.0)", "PAIR[1]", "PAIR", ("(5.0, 6.0)",)),
    "array": Kept(
        "GAIN = jnp.ones(3)",
        "GAIN",
        "GAIN",
        ("jnp.zeros(3)",),
        ("{m}.GAIN.delete()", "jax.jit(lambda a: a + 1, donate_argnums=0)({m}.GAIN)"),
    ),
    "numpy": Kept(
        "ARRAY = np.ones(3, np.float32)",
        "ARRAY",
        "ARRAY",
        ("np.zeros(3, np.float32)",),
        ("{m}.ARRAY[0] = 5.0", "{m}.ARRAY.fill(5.0)"),
    ),
    "object": Kept(
        "OPTIONS = types.SimpleNamespace(rate=2.0)",
        "OPTIONS.rate",
        "OPTIONS",
        ("types.SimpleNamespace(rate=5.0)",),
        ("{m}.OPTIONS.rate = 5.0", 'setattr({m}.OPTIONS, "rate", 5.0)', 'vars({m}.OPTIONS)["rate"] = 5.0'),
    ),
    "class": Kept(
        "class Options:\n    rate = 2.0",
        "Options.rate",
        "Options",
        ("types.SimpleNamespace(rate=5.0)",),
        ("{m}.Options.rate = 5.0", 'setattr({m}.Options, "rate", 5.0)'),
    ),
    "function": Kept(
        "def scaled(v):\n    return v * 2.0",
        "scaled(c)",
        "scaled",
        ("lambda v: v * 5.0",),
        ("{m}.scaled.__code__ = (lambda v: v * 5.0).__code__", "{m}.scaled.__globals__['scaled'] = lambda v: v * 5.0"),
    ),
    "default": Kept(
        "def shifted(v, by=2.0):\n    return v + by",
        "shifted(c)",
        "shifted",
        ("lambda v: v - 1.0",),
        ("{m}.shifted.__defaults__ = (5.0,)",),
    ),
    "method": Kept(
        "class Scale:\n    def __init__(self):\n        self.by = 2.0\n\n"
        "    def __call__(self, v):\n        return v * self.by\n\n\nSCALE = Scale()",
        "SCALE(c)",
        "SCALE",
        ("lambda v: v * 5.0",),
        ("{m}.SCALE.by = 5.0", "{m}.Scale.__call__ = lambda self, v: v * 5.0"),
    ),
    "builtin": Kept("", "abs(c)", "abs", ("lambda v: v * 5.0",)),
    "shared": Kept("import {settings}", "{settings}.RATE", "{settings}.RATE", ("5.0",)),
    "imported": Kept("from {settings} import LIMIT", "LIMIT", "LIMIT", ("5.0",)),
    "library": Kept("", "jnp.tanh(c)", "jnp.tanh", ("lambda v: v * 5.0",)),
    "memo": Kept(
        "@functools.lru_cache\ndef basis(n):\n    return jnp.arange(3) * n", "basis(2.0)", "basis", ("lambda n: n",)
    ),
    "memo of numbers": Kept(
        "@functools.cache\ndef factor(n):\n    return 2.0 * n",
        "factor(2)",
        "factor",
        ("lambda n: 5.0",),
        ("{m}.factor.cache_clear()",),
    ),
    "rule": Kept(
        "@jax.custom_jvp\ndef soft(v):\n    return v * 2.0\n\n\nsoft.defjvp(lambda p, t: (soft(*p), t[0] * 2.0))",
        "soft(c)",
        "soft",
        ("lambda v: v * 5.0",),
        ("{m}.soft.defjvp(lambda p, t: ({m}.soft(*p), t[0] * 50.0))",),
    ),
    "two rules": Kept(
        "@jax.custom_vjp\ndef hard(v):\n    return v * 2.0\n\n\n"
        "hard.defvjp(lambda v: (hard(v), None), lambda _, g: (g * 2.0,))",
        "hard(c)",
        "hard",
        ("lambda v: v * 5.0",),
        ("{m}.hard.defvjp(lambda v: ({m}.hard(v), None), lambda _, g: (g * 50.0,))",),
    ),
    "kind": Kept(
        "class Kind(abc.ABC):\n    pass",
        "(5.0 if isinstance(c, Kind) else 2.0)",
        "Kind",
        ("float",),
        ("{m}.Kind.register(jax.core.Tracer)",),
    ),
    "starred": Kept("from {settings} import *", "WIDTH", "WIDTH", ("5.0",), ("settings.WIDTH = 5.0",)),
    "lazy": Kept("import {settings}", "{settings}.LAZY", "{settings}.LAZY", ("5.0",), ("settings.CALLS.append(1)",)),
    "config": Kept(
        "@dataclass\nclass Config:\n    rate: float = 2.0\n\n\nCONFIG = Config()",
        "CONFIG.rate",
        "CONFIG",
        ("types.SimpleNamespace(rate=5.0)",),
        (
            "{m}.CONFIG.rate = 5.0",
            'object.__setattr__({m}.CONFIG, "rate", 5.0)',
            "{m}.CONFIG.__dict__.update(rate=5.0)",
            'for name in ("rate",):\n    setattr({m}.CONFIG, name, 5.0)',
        ),
    ),
    "frozen config": Kept(
        "@dataclass(frozen=True)\nclass Fixed:\n    rate: float = 2.0\n\n\nFIXED = Fixed()",
        "FIXED.rate",
        "FIXED",
        ("types.SimpleNamespace(rate=5.0)",),
        ('object.__setattr__({m}.FIXED, "rate", 5.0)', 'vars({m}.FIXED)["rate"] = 5.0'),
    ),
    "hooked": Kept(
        "class Hooked:\n    rate = 2.0\n\n    def __init_subclass__(cls):\n        Hooked.rate += 1.0",
        "Hooked.rate",
        "Hooked",
        ("types.SimpleNamespace(rate=5.0)",),
        ("type('Sub', ({m}.Hooked,), {{}})", "class Sub({m}.Hooked):\n    pass"),
    ),
    "patched method": Kept(
        "class Gain:\n    def by(self, v):\n        return v * 2.0\n\n\nGAINED = Gain()",
        "GAINED.by(c)",
        "GAINED",
        ("types.SimpleNamespace(by=lambda v: v * 5.0)",),
        (
            "{m}.Gain.by = lambda self, v: v * 5.0",
            'setattr({m}.Gain, "by", lambda self, v: v * 5.0)',
            'mock.patch.object({m}.Gain, "by", lambda self, v: v * 5.0).start()',
            "{m}.GAINED.by = lambda v: v * 5.0",
        ),
    ),
    "jit": Kept("", "1.5", "jax.jit", ("lambda f=None, **kw: f",)),
    "scan": Kept("", "1.5", "lax.scan", ("lambda f, init, xs=None, **kw: (init, xs)",)),
    "fori_loop": Kept("", "1.5", "lax.fori_loop", ("lambda start, stop, f, init: init",)),
    "lax": Kept("", "1.5", "lax", ("None",)),
}

OUTSIDE = {
    "attribute": "{m}.{n} = {v}",
    "setattr": 'setattr({m}, "{n}", {v})',
    "delete": "del {m}.{n}",
    "patch": 'mock.patch("{m}.{n}", {v}).start()',
    "patch object": 'mock.patch.object({m}, "{n}", {v}).start()',
    "monkeypatch": 'pytest.MonkeyPatch().setattr({m}, "{n}", {v})',
    "monkeypatch text": 'pytest.MonkeyPatch().setattr("{m}.{n}", {v})',
    "another name": "module = {m}\nmodule.{n} = {v}",
    "loop": "for module in [{m}]:\n    module.{n} = {v}",
    "handed over": "rebind({m})",
    "helper": '(lambda owner, name, value: setattr(owner, name, value))({m}, "{n}", {v})',
    "partial": 'functools.partial(setattr, {m})("{n}", {v})',
    "dunder": '{m}.__setattr__("{n}", {v})',
    "patch by another name": 'swap = mock.patch.object\nswap({m}, "{n}", {v}).start()',
    "patch multiple of it": "mock.patch.multiple({m}, {n}={v}).start()",
}
"""How another file may bind a name, as its text says."""

UNREAD = {
    "override": 'override("{m}", {{"{n}": {v}}})',
    "computed name": 'setattr({m}, "".join(["{n}"]), {v})',
    "computed module": 'setattr(importlib.import_module("".join(["{m}"])), "{n}", {v})',
    "vars": 'vars({m})["{n}"] = {v}',
    "dict": "{m}.__dict__.update({n}={v})",
    "modules": 'sys.modules["{m}"].{n} = {v}',
    "modules computed": 'sys.modules["".join(["{m}"])].{n} = {v}',
    "exec": 'exec("{m}.{n} = {v}")',
    "exec in": 'exec("{n} = {v}", vars({m}))',
    "patch multiple": 'mock.patch.multiple("{m}", {n}={v}).start()',
    "patch computed": 'mock.patch("".join(["{m}.{n}"]), {v}).start()',
    "patch dict": 'mock.patch.dict({m}.__dict__, {{"{n}": {v}}}).start()',
    "globals of a function": '{m}.f0.__globals__["{n}"] = {v}',
    "module of a function": "inspect.getmodule({m}.f0).{n} = {v}",
    "module by name": 'setattr(__import__("{m}"), "{n}", {v})',
}
"""How another file may bind a name that is not in its text."""

INSIDE = {
    "global": "def change():\n    global {n}\n    {n} = {v}",
    "globals": 'def change():\n    globals()["{n}"] = {v}',
    "own module": "def change():\n    sys.modules[__name__].{n} = {v}",
    "computed": 'def change():\n    setattr(sys.modules[__name__], "{n}", {v})',
    "exec": 'def change():\n    exec("global {n}; {n} = {v}")',
    "deleted": "def change():\n    global {n}\n    del {n}",
}
"""How the module itself may."""

TOP_LEVEL = {
    "none": "",
    "loop": "for _ in range(2):\n    with contextlib.suppress(Exception):\n        f0(jnp.ones(3))",
    "guard": 'if __name__ == "__main__":\n    f0(jnp.ones(3))',
    "main": "def main():\n    with contextlib.suppress(Exception):\n        f0(jnp.ones(3))\n\n\nmain()",
}
"""What the module does itself; another one imports it all the same."""

_READ = """def load():
    from pathlib import Path

    found = {{}}
    exec({code}{namespaces})
    return types.SimpleNamespace(**{result})


case = load()
"""
_CODE = 'Path(__file__).with_name("case.py").read_text()'
LOADED = {
    "imported": "import case",
    "run apart": _READ.format(code=_CODE, namespaces="", result="locals()"),
    "compiled": _READ.format(
        code=f'compile({_CODE}, "case.py", "exec")', namespaces=', {"jax": jax}, found', result="found"
    ),
    "in one namespace": _READ.format(code=_CODE, namespaces=", found", result="found"),
    "by its path": "import runpy\n\nfrom pathlib import Path\n\n"
    'case = types.SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("case.py"))))',
    "from a specification": "import importlib.util\n\nspec = importlib.util.find_spec('case')\n"
    "case = importlib.util.module_from_spec(spec)\nsys.modules[spec.name] = case\nspec.loader.exec_module(case)",
    "rebuilt": "import case\n\nfor name, each in list(vars(case).items()):\n"
    "    if isinstance(each, types.FunctionType) and name.startswith('f'):\n"
    "        names = {n: vars(case)[n] for n in each.__code__.co_names if n in vars(case)}\n"
    "        setattr(case, name, types.FunctionType(each.__code__, names, name, each.__defaults__))",
}
"""How the script gets the module."""

ARGUMENTS = (
    "jnp.arange(1.0, 4.0)",
    "jnp.zeros(3)",
    "np.ones(3, np.float32)",
    "np.ones(3)",
    "jnp.ones(3, jnp.bfloat16)",
    "jnp.arange(3)",
    "jnp.ones((2, 3))",
    "jnp.array([1.0, jnp.nan, -0.0])",
    "jnp.ones(3, complex)",
    "[1.0, 2.0, 3.0]",
    "2.0",
)

SETTINGS = {
    "x64": 'jax.config.update("jax_enable_x64", True)',
    "prng": 'jax.config.update("jax_default_prng_impl", "rbg")',
    "precision": 'jax.config.update("jax_default_matmul_precision", "bfloat16")',
    "nans": 'jax.config.update("jax_debug_nans", True)',
    "infinities": 'jax.config.update("jax_debug_infs", True)',
    "promotion": 'jax.config.update("jax_numpy_dtype_promotion", "strict")',
    "rank": 'jax.config.update("jax_numpy_rank_promotion", "raise")',
    "rank warning": 'jax.config.update("jax_numpy_rank_promotion", "warn")',
    "threefry": 'jax.config.update("jax_threefry_partitionable", not jax.config.jax_threefry_partitionable)',
    "legacy keys": 'jax.config.update("jax_legacy_prng_key", "error")',
    "custom keys": 'jax.config.update("jax_enable_custom_prng", True)',
    "gumbel": 'jax.config.update("jax_high_dynamic_range_gumbel", True)',
    "seed": 'jax.config.update("jax_random_seed_offset", 7)',
    "softmax": 'jax.config.update("jax_softmax_custom_jvp", False)',
    "no jit": 'jax.config.update("jax_disable_jit", True)',
    "checks": 'jax.config.update("jax_enable_checks", True)',
    "leaks": 'jax.config.update("jax_check_tracer_leaks", True)',
    "warnings": 'warnings.simplefilter("error")',
    "every warning": 'warnings.simplefilter("always")',
    "numpy errors": 'np.seterr(all="raise")',
    "environment": 'os.environ["RATE"] = "5"',
}

READS_SETTINGS = {
    "raw key": "jax.random.uniform(jax.random.PRNGKey(0), (3,))",
    "key": "jax.random.uniform(jax.random.key(0), (3,))",
    "split": "jax.random.uniform(jax.random.split(jax.random.PRNGKey(1))[0], (3,))",
    "key data": "jax.random.uniform(jax.random.wrap_key_data(np.array([0, 1], np.uint32)), (3,))",
    "gumbel": "jax.random.gumbel(jax.random.key(0), (3,))",
    "categorical": "jax.random.categorical(jax.random.key(0), c)",
    "permutation": "jax.random.permutation(jax.random.key(0), c)",
    "asked": "(2.0 if jax.config.jax_enable_x64 else 1.0)",
    "read": 'float(jax.config.read("jax_enable_x64"))',
    "dtype": "jnp.asarray(1.5, dtype=float)",
    "result type": "jnp.finfo(jnp.result_type(float)).eps",
    "canonical": "float(jax.dtypes.canonicalize_dtype(np.float64) == np.float64)",
    "arange": "jnp.arange(3.0)",
    "linspace": "jnp.linspace(0, 1, 3)",
    "double": "jnp.zeros(3, jnp.float64)",
    "cast": 'c.astype("float64")',
    "numpy": "np.linspace(0, 1, 3)",
    "matmul": "jnp.dot(jnp.ones((3, 3)) / 3, c)",
    "log": "jnp.log(c - c)",
    "division": "c / jnp.zeros(3)",
    "rank": "jnp.ones((2, 3)).sum() + c + jnp.ones((1, 3))[0]",
    "broadcast": "(c + jnp.ones((2, 3))).sum(0)",
    "mixed": "c + jnp.int32(1)",
    "softmax": "jax.grad(lambda v: jax.nn.softmax(v)[0])(c)",
    "backend": 'float(jax.default_backend() == "cpu")',
    "devices": "float(jax.device_count())",
    "environment": 'float(os.environ.get("RATE", "1"))',
    "large": "jnp.asarray(2**24 + 1)",
    "overflow": "jnp.asarray(1e40)",
    "numpy division": "np.float32(1) / np.float32(0)",
    "numpy overflow": "float(np.float32(1e38) * np.float32(10))",
}

EFFECTS: dict[str, tuple[tuple[str, ...], str]] = {
    "none": ((), ""),
    "print": (('print("traced")',), ""),
    "warning": (('warnings.warn("odd")',), ""),
    "list": (("LOG.append(1)", "c = c + len(LOG)"), "LOG = []"),
    "count": (("c = c + next(COUNT)",), "COUNT = itertools.count()"),
    "global": (("global CALLS", "CALLS += 1", "c = c + CALLS"), "CALLS = 0"),
    "guard": (("if c.ndim > 1:", '    raise ValueError("rank")'), ""),
    "assertion": (('assert c.dtype == jnp.float32, f"{c.dtype}"',), ""),
    "dtype warning": (("jnp.zeros(2, jnp.float64)",), ""),
    "cast warning": (("jnp.asarray(1.0).astype(np.int64)",), ""),
    "complex warning": (("jnp.ones(2, complex).astype(jnp.float32)",), ""),
    "log": (('logging.getLogger("case").warning("traced")',), ""),
    "stderr": (('sys.stderr.write("traced\\n")',), ""),
    "import": (("import fractions", "c = c + float(fractions.Fraction(1, 2))"), ""),
    "missing": (("try:", "    import nothing_of_this_name", "except ImportError:", "    c = c + 1"), ""),
    "callback": (('jax.debug.print("{}", c)',), ""),
    "state": (("STATE.rate = STATE.rate + 1", "c = c * STATE.rate"), "STATE = types.SimpleNamespace(rate=1.0)"),
    "random": (("c = c + RANDOM.random()",), "RANDOM = random.Random(0)"),
    "numpy random": (("c = c + np.random.default_rng(0).random()",), ""),
    "memo": (("c = c + remembered()",), "@functools.cache\ndef remembered():\n    return 1.0"),
    "unhashable": (("c = c + next(iter(TOKENS))",), "TOKENS = {1.0}"),
    "attribute": (("body.calls = getattr(body, 'calls', 0) + 1", "c = c + body.calls"), ""),
    "name": (("c = c + len(body.__name__) - len(body.__name__)",), ""),
    "clock": (("time.sleep(0)",), ""),
}
"""Lines of a body, and what they need of the module."""
ANNOTATIONS = {
    "none": "",
    "right": "jax.Array",
    "text": '"jnp.ndarray"',
    "removed": "jnp.DeviceArray",
    "undefined": "Undefined",
    "subscript": "TYPES[0]",
    "union": "jax.Array | None",
    "raises": "odd_type()",
    "division": "1 / 0",
    "walrus": "(KIND := float)",
}
DEFAULTS = {
    "none": "",
    "number": "2.0",
    "constant": "START",
    "division": "1 / START",
    "subscript": "ITEMS[0]",
    "key": 'ITEMS["gain"]',
    "array": "jnp.ones(())",
    "double": "np.float64(1)",
    "undefined": "undefined",
    "call": "len(ITEMS)",
    "raising call": "int('x')",
    "attribute": "jnp.DeviceArray",
    "setting": "jax.config.jax_enable_x64",
    "list": "[1.0]",
    "dtype": "jnp.asarray(1.0).dtype.itemsize",
    "negative": "-START",
    "comparison": "START > 1",
    "pi": "np.pi",
    "text": '"a"',
}
DECORATORS = {
    "none": "",
    "checkpoint": "@jax.checkpoint",
    "jit": "@jax.jit",
    "static": "@functools.partial(jax.jit, static_argnums=7)",
    "odd option": "@functools.partial(jax.jit, fancy=True)",
    "own": "@doubled",
    "raises": "@refused",
    "undefined": "@undefined_decorator",
    "removed": "@jax.removed_decorator",
    "vectorize": "@jnp.vectorize",
    "wraps": "@functools.wraps(len)",
    "cache": "@functools.cache",
    "custom rule": "@jax.custom_jvp",
}
JIT_ARGUMENTS = {
    "none": "",
    "inline": ", inline=True",
    "unknown": ", fancy=True",
    "static": ", static_argnums=(5,)",
    "static name": ', static_argnames=("k",)',
    "unknown name": ', static_argnames=("nobody",)',
    "donated": ", donate_argnums=0",
    "donated late": ", donate_argnums=9",
    "backend": ', backend="nothing"',
    "constant": ", inline=START > 1",
    "division": ", inline=bool(1 / START)",
    "subscript": ", inline=ITEMS[0]",
    "options": ', compiler_options={"xla_nothing": True}',
    "device": ", device=jax.devices()[7]",
    "kept": ", keep_unused=True",
}
PREPARED = """START = {start}
ITEMS = {items}
TYPES = {types}


def odd_type():
    raise RuntimeError("a type")


def doubled(function):
    return lambda *args: jax.tree.map(lambda leaf: leaf * 2, function(*args))


def refused(function):
    raise TypeError("refused")
"""
STARTS = {"number": "2", "zero": "0", "text": '"a"', "array": "jnp.ones(3)"}
ITEM_KINDS = {"list": "[1.0]", "empty": "[]", "dict": '{"gain": 2.0}'}
TYPE_KINDS = {"tuple": "(float,)", "empty": "()"}
