"""Keywords, positional arguments and methods that are gone or going, and what has another meaning now."""

from jaxfix.library.changes.row import Keyword, Life, Meaning, Method, Positional, Way

_CLIP = Life("0.4.27", "0.10.0", "0.4.27")
_PLACED = Life("0.4.6", "0.4.14", "0.4.7")
_METHODS = Life("0.4.5", "0.4.14")
_STABLE = tuple(
    (f"{quote}{kind}{quote}", "True")
    for kind in ("stable", "quicksort", "mergesort", "heapsort")
    for quote in ("'", '"')
)
"""Whatever kind was asked for, it was a stable one."""
_INPUTS = "`jax.device_put` the inputs, or `with jax.default_device(device):` where there are none"
_DRAWS = "set `jax_threefry_partitionable` to what it was, if the exact numbers matter"
_DRAWN = (
    *("ball", "bernoulli", "beta", "binomial", "bits", "categorical", "cauchy", "chisquare", "choice", "dirichlet"),
    *("double_sided_maxwell", "exponential", "f", "gamma", "generalized_normal", "geometric", "gumbel", "laplace"),
    *("loggamma", "logistic", "lognormal", "maxwell", "multinomial", "multivariate_normal", "normal", "orthogonal"),
    *("pareto", "permutation", "poisson", "rademacher", "randint", "rayleigh", "split", "t", "triangular"),
    *("truncated_normal", "uniform", "wald", "weibull_min"),
)
"""Of `jax.random`, all but `fold_in`: measured."""
_PIXELS = ("quantile", "nanquantile", "percentile", "nanpercentile")

KEYWORDS = (
    Keyword("jax.numpy.clip", "a_min", "min", Way.ALIAS, _CLIP, place=1),
    Keyword("jax.numpy.clip", "a_max", "max", Way.ALIAS, _CLIP, place=2),
    Keyword("jax.numpy.clip", "a", "", Way.ALIAS, _CLIP),
    Keyword("jax.numpy.reshape", "newshape", "shape", Way.ALIAS, Life("0.4.28", "0.4.36", "0.4.28"), place=1),
    *(
        Keyword(f"jax.numpy.{last}", "interpolation", "method", Way.ALIAS, Life("0.4.0", "0.8.0", "0.4.0"))
        for last in _PIXELS
    ),
    *(
        Keyword("jax.experimental.pjit.pjit", f"{side}_axis_resources", f"{side}_shardings", Way.ALIAS, _PLACED)
        for side in ("in", "out")
    ),
    Keyword("jax.jit", "device", "", Way.BY_HAND, Life("0.4.3", ""), steps=_INPUTS),
    Keyword("jax.jit", "backend", "", Way.BY_HAND, Life("0.4.3", ""), steps=_INPUTS),
    *(
        Keyword(
            "jax.jit",
            f"{last}_argnames",
            "",
            Way.REWRITE,
            Life("", "0.4.27"),
            steps="leave out names that are not parameters of the function",
            is_of_names=True,
        )
        for last in ("static", "donate")
    ),
    Keyword("jax.jit", "fun", "", Way.ALIAS, Life("0.6.0", "0.7.0")),
    Keyword("jax.numpy.where", "condition", "", Way.BY_HAND, Life("", "0.5.0"), steps="pass the arguments by position"),
    Keyword("jax.nn.softmax", "initial", "", Way.BY_HAND, Life("0.4.27", "0.4.36"), steps="leave it out"),
    *(
        Keyword(
            f"jax.numpy.{last}",
            "kind",
            "stable",
            Way.ALIAS,
            Life("0.4.24", "0.4.28", "0.4.24"),
            values=_STABLE,
            alike=("None",),
        )
        for last in ("sort", "argsort")
    ),
    Keyword(
        "jax.pure_callback",
        "vectorized",
        "vmap_method",
        Way.REWRITE,
        Life("0.4.34", "0.6.0", "0.4.34"),
        values=(("True", '"legacy_vectorized"'), ("False", '"sequential"')),
    ),
)

POSITIONAL = (
    Positional("jax.lax.dot", 2, ("precision", "preferred_element_type"), Life("0.7.1", "0.10.0")),
    Positional("jax.numpy.array", 2, ("copy", "order", "ndmin"), Life("0.10.1", "0.11.0")),
)

METHODS = (
    Method("broadcast", "{@jax.lax.broadcast}({x}, {sizes})", True, _METHODS, parameters=("sizes",)),
    Method(
        "broadcast_in_dim",
        "{@jax.lax.broadcast_in_dim}({x}, {shape}, {broadcast_dimensions})",
        True,
        _METHODS,
        parameters=("shape", "broadcast_dimensions"),
    ),
    Method(
        "split",
        "{@jax.numpy.split}({x}, {indices_or_sections}[[, axis={axis}]])",
        True,
        _METHODS,
        parameters=("indices_or_sections", "axis"),
    ),
    Method("device", "next(iter({x}.devices()))", True, Life("0.4.21", "0.4.27")),
    Method("device_buffers", "[shard.data for shard in {x}.addressable_shards]", False, Life("0.4.22", "0.4.27")),
    Method("layout", "{x}.format", False, Life("0.6.2", "0.7.0", "0.6.2")),
    Method("to_py", "{@numpy.asarray}({x})", True, Life("0.4.3", "0.4.13")),
    Method("device_buffer", "{x}.addressable_data(0)", False, Life("0.4.22", "0.4.27")),
    Method("unsafe_raw_array", "{@jax.random.key_data}({x})", True, Life("0.4.16", "0.4.24"), is_of_keys=True),
)

MEANINGS = (
    Meaning(
        "jax.numpy.linalg.solve",
        "0.5.0",
        "treats a stack of vectors as matrices",
        "where `b` holds one vector for each matrix, pass `b[..., None]` and take `[..., 0]` of the result",
    ),
    Meaning(
        "jax.numpy.empty",
        "0.11.0",
        "is not filled with zeros",
        "write `jnp.zeros` where it is read before it is written",
    ),
    Meaning(
        "jax.numpy.empty_like",
        "0.11.0",
        "is not filled with zeros",
        "write `jnp.zeros_like` where it is read before it is written",
    ),
    Meaning(
        "jax.make_mesh",
        "0.9.0",
        "makes axes of the type `Explicit`",
        "give `axis_types=(jax.sharding.AxisType.Auto,) * n` to keep the old behaviour",
        unless="axis_types",
    ),
    Meaning(
        "jax.scipy.stats.rankdata",
        "0.10.0",
        "returns floats where it returned integers",
        "cast what it returns where it is an index",
        only_with="method",
        position=1,
        alike=('"average"', "'average'"),
    ),
    Meaning(
        "jax.pmap",
        "0.9.0",
        "returns shards that keep their leading axis: `x[0]` gathers",
        "read a shard by `x.addressable_shards`, or map by `jax.shard_map`",
    ),
    Meaning(
        "jax.experimental.shard_map.shard_map",
        "0.6.1",
        "adds the gradient of an argument that all devices share up over the mesh",
        "give `check_rep=False`, or leave out the `psum` or `pmean` of such a gradient",
        unless="check_rep",
    ),
    Meaning("jax.numpy.cross", "0.11.0", "raises for vectors of two", "append a zero to each"),
    *(
        Meaning(
            f"jax.numpy.{last}",
            "0.4.31",
            "returns integers for integers, where it returned floats",
            "append `.astype(float)` where a float is needed",
            only_ints=True,
        )
        for last in ("ceil", "floor", "trunc")
    ),
    Meaning(
        "jax.numpy.linalg.matrix_power",
        "0.6.1",
        "returns integers for integers, where it returned floats",
        "pass floats",
        only_ints=True,
    ),
    Meaning(
        "jax.numpy.unique",
        "0.4.24",
        "returns inverse indices of the shape of its argument, where they were flat",
        "write `.ravel()` after the inverse",
        only_with="return_inverse",
        position=2,
        alike=("False",),
    ),
    Meaning(
        "jax.scipy.linalg.toeplitz",
        "0.4.36",
        "treats a two-dimensional array as a stack, where it was flattened",
        "pass `c.ravel()` where it has more than one dimension",
    ),
    Meaning(
        "jax.random.randint",
        "0.7.2",
        "draws other numbers of 8 and 16 bits from the same key",
        "no option restores it: draw 32 bits, and cast them, if the exact numbers matter",
        only_with="dtype",
        position=4,
        alike=("int", "jnp.int32", "jnp.int64", "jnp.uint32", '"int32"'),
    ),
    *(
        Meaning(
            f"jax.random.{last}",
            "0.4.18",
            "draws other numbers from the same key for a gamma parameter below one",
            "no option restores it: compare distributions",
            is_told_once=True,
            least=least,
        )
        for last, least in (
            *(("beta", (1.0, 1.0)), ("chisquare", (2.0,)), ("dirichlet", ()), ("gamma", (1.0,))),
            *(("generalized_normal", ()), ("loggamma", (1.0,))),
        )
    ),
    Meaning(
        "jax.random.ball",
        "0.4.18",
        "draws other points from the same key",
        "no option restores it: compare distributions",
    ),
    *(
        Meaning(f"jax.random.{last}", "0.5.0", "draws other numbers from the same key", _DRAWS, is_told_once=True)
        for last in _DRAWN
    ),
)
