"""Rows of the table that a careless rewrite breaks silently: each has a trap, or the reason why none can be."""

import importlib.metadata
import json
import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from jaxfix.engine.analyze import analyze
from jaxfix.engine.plan import plan
from jaxfix.library.changes.row import Keyword, Meaning, Method, Name, Positional, Row, Way, version
from jaxfix.library.changes.table import ROWS
from jaxfix.report.finding import Fate
from jaxfix.semantic.project.surroundings import Surroundings
from jaxfix.source.source_file import SourceFile
from jaxfix_codemods import CODEMODS

BOTH = [codemod for codemod in CODEMODS if codemod.id in ("removed-api", "legacy-parallelism")]
REMOVED = [codemod for codemod in BOTH if codemod.id == "removed-api"]


@dataclass(frozen=True)
class Trap:
    """Old code, what it did, and what a careless rewrite makes of it instead.

    Attributes:
      rows: those that it is about, by name.
      careless: None where what it does cannot be run here.
      is_left: whether it is left to a person, rather than rewritten.
    """

    rows: tuple[str, ...]
    old: str
    meant: str
    careless: str | None
    is_left: bool = False


def name(row: Row) -> str:
    match row:
        case Name(old=old):
            return old
        case Keyword(function=function, old=old):
            return f"{function}({old}=)"
        case Positional(function=function, first=first):
            return f"{function}({first})"
        case Method(old=old):
            return f"jax.Array.{old}"
        case Meaning(function=function, since=since):
            return f"{function} since {since}"


def is_careful(row: Row) -> bool:
    """Whether its rewrite takes more than another name of the same object, or its meaning has changed."""
    return not (isinstance(row, Name | Keyword) and row.way is Way.BY_HAND) and (
        not isinstance(row, Name) or row.way is not Way.ALIAS
    )


TYPES = {
    "jax.random.KeyArray": "key",
    "jax.random.PRNGKeyArray": "key",
    "jax.numpy.DeviceArray": "x",
    "jax.interpreters.xla.DeviceArray": "x",
    "jax.xla.DeviceArray": "x",
    "jax.pxla.ShardedDeviceArray": "x",
    "jax.interpreters.xla.Buffer": "x",
    "jax.interpreters.pxla.ShardedDeviceArray": "x",
    "jax.lib.xla_extension.DeviceArray": "x",
    "jax.lib.xla_extension.ArrayImpl": "x",
    "jax.lib.xla_client.ArrayImpl": "x",
    "jaxlib.xla_extension.DeviceArray": "x",
}
"""Types of which a tracer was none, and a raw key was no key: `jax.Array` says yes to both."""
LAYOUT = "jax.device_put(jnp.ones((4, 4)), {}).addressable_shards[0].data.shape"
POSITIONAL = "jax.sharding.PositionalSharding(jax.devices()).reshape(1, 2)"
MESH = "jax.sharding.NamedSharding(jax.sharding.Mesh(jax.devices(), ('x',)), P({}))"
PJIT = """\
from jax.experimental.pjit import pjit
mesh = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
step = pjit(lambda v: v * 2, in_axis_resources=P(), out_axis_resources=P("d"))
with mesh:
    out = step(np.ones(4)).addressable_shards[0].data.shape
"""

TRAPS = {
    "split takes a number of parts": Trap(
        ("jax.Array.split",), "x.split(4)[0]", "jnp.array([1.0])", "jnp.split(x, [4])[0]"
    ),
    "broadcast adds axes in front": Trap(
        ("jax.Array.broadcast",), "x.broadcast((4,))[0]", "x", "jnp.broadcast_to(x[:, None], (4, 4))[0]"
    ),
    "broadcast_in_dim says which axis is which": Trap(
        ("jax.Array.broadcast_in_dim",),
        "x.broadcast_in_dim((4, 4), (0,))[1]",
        "jnp.full(4, 2.0)",
        "jnp.broadcast_to(x, (4, 4))[1]",
    ),
    "keywords of clip are mapped by name, not by order": Trap(
        ("jax.numpy.clip(a_min=)", "jax.numpy.clip(a_max=)"),
        "jnp.clip(x, a_max=3.0, a_min=2.0)",
        "jnp.minimum(jnp.maximum(x, 2.0), 3.0)",
        "jnp.clip(x, 3.0, 2.0)",
    ),
    "the array of clip is not the first keyword": Trap(
        ("jax.numpy.clip(a=)",), "jnp.clip(a_max=2.0, a=x)", "jnp.minimum(x, 2.0)", "jnp.clip(2.0, x)", is_left=True
    ),
    "index_update puts in what is indexed": Trap(
        ("jax.ops.index_update",),
        "jax.ops.index_update(y=9.0, idx=0, x=x)",
        "jnp.array([9.0, 2, 3, 4])",
        "jnp.asarray(9.0).at[...].set(x[0])",
    ),
    "an operator binds more loosely than `.at`": Trap(
        ("jax.ops.index_update",),
        "jax.ops.index_update(x + 1, 0, 0.0)",
        "(x + 1) * jnp.array([0.0, 1, 1, 1])",
        "x + (1 * jnp.ones(4)).at[0].set(0.0)",
    ),
    "index_add adds up what is indexed twice": Trap(
        ("jax.ops.index_add",),
        "jax.ops.index_add(x, jnp.array([0, 0]), 1.0)",
        "x + jnp.array([2.0, 0, 0, 0])",
        "x.at[jnp.array([0, 0])].set(x[jnp.array([0, 0])] + 1.0)",
    ),
    "index_mul multiplies what is indexed twice by both": Trap(
        ("jax.ops.index_mul",),
        "jax.ops.index_mul(x, jnp.array([1, 1]), 3.0)",
        "jnp.array([1.0, 18, 3, 4])",
        "x.at[jnp.array([1, 1])].set(x[jnp.array([1, 1])] * 3.0)",
    ),
    "index_min takes the least of what is indexed twice": Trap(
        ("jax.ops.index_min",),
        "jax.ops.index_min(x, jnp.array([1, 1]), jnp.array([0.5, 1.5]))",
        "jnp.array([1.0, 0.5, 3, 4])",
        "x.at[jnp.array([1, 1])].set(jnp.minimum(x[1], jnp.array([0.5, 1.5])))",
    ),
    "index_max takes the greatest of what is indexed twice": Trap(
        ("jax.ops.index_max",),
        "jax.ops.index_max(x, jnp.array([1, 1]), jnp.array([9.0, 5.0]))",
        "jnp.array([1.0, 9, 3, 4])",
        "x.at[jnp.array([1, 1])].set(jnp.maximum(x[1], jnp.array([9.0, 5.0])))",
    ),
    "a power binds more tightly than a minus": Trap(("jax.numpy.NINF",), "jnp.NINF**2", "jnp.inf", "-jnp.inf**2"),
    "a zero with a sign": Trap(
        ("jax.numpy.NZERO",), "jnp.copysign(1.0, jnp.NZERO)", "jnp.float32(-1.0)", "jnp.copysign(1.0, 0.0)"
    ),
    "a zero is a float": Trap(("jax.numpy.PZERO",), "jnp.full(2, jnp.PZERO)", "jnp.zeros(2)", "jnp.full(2, 0)"),
    "in1d is flat": Trap(
        ("jax.numpy.in1d",),
        "jnp.in1d(x.reshape(2, 2), x[:1])",
        "jnp.array([True, False, False, False])",
        "jnp.isin(x.reshape(2, 2), x[:1])",
    ),
    "msort sorts along the first axis": Trap(
        ("jax.numpy.msort",),
        "jnp.msort(x[::-1].reshape(2, 2))",
        "jnp.array([[2.0, 1.0], [4.0, 3.0]])",
        "jnp.sort(x[::-1].reshape(2, 2))",
    ),
    "tie_in returns the second": Trap(("jax.lax.tie_in",), "jax.lax.tie_in(x, x + 1)", "x + 1", "x"),
    "full_lower is one value": Trap(
        ("jax.core.full_lower",), "jax.core.full_lower(x + 1) * 2", "(x + 1) * 2", "x + 1 * 2"
    ),
    "shuffle draws rows apart": Trap(
        ("jax.random.shuffle",),
        "jax.random.shuffle(key, big, axis=1)",
        "jax.random.permutation(key, big, 1, independent=True)",
        "jax.random.permutation(key, big, 1)",
    ),
    "a key of a kind that is not the usual one": Trap(
        ("jax.random.threefry2x32_key",),
        "among('rbg', lambda: jax.random.threefry2x32_key(3))",
        "jax.random.PRNGKey(3)",
        "among('rbg', lambda: jax.random.PRNGKey(3))",
    ),
    "fix rounds to zero": Trap(
        ("jax.numpy.fix",), "jnp.fix(-x / 4)", "jnp.array([-0.0, -0.0, -0.0, -1.0])", "jnp.floor(-x / 4)"
    ),
    **{
        f"a key of {kind}": Trap(
            (f"jax.random.{kind}_key",),
            f"jax.random.{kind}_key(seed=3)",
            f"among('{kind}', lambda: jax.random.PRNGKey(3))",
            "jax.random.PRNGKey(seed=3)",
        )
        for kind in ("rbg", "unsafe_rbg")
    },
    **{
        f"a context of {place} that turns double precision off": Trap(
            (f"{place}.enable_x64",),
            f"dtype_in({place}.enable_x64(False))",
            "'float32'",
            "dtype_in(jax.enable_x64(True))",
        )
        for place in ("jax.experimental", "jax.experimental.x64_context")
    },
    **{
        f"a context of {place} that is there to turn it off": Trap(
            (f"{place}.disable_x64",),
            f"dtype_in({place}.disable_x64())",
            "'float32'",
            "dtype_in(jax.enable_x64(True))",
        )
        for place in ("jax.experimental", "jax.experimental.x64_context")
    },
    "a value that varies has a gradient of its own on each device": Trap(
        ("jax.lax.pvary",),
        "of_each(lambda w: jax.lax.pvary(w, 'd'))",
        "jnp.array([1.0, 2.0])",
        "of_each(lambda w: w)",
    ),
    "without the check a gradient is that of a device": Trap(
        ("jax.experimental.shard_map.shard_map",),
        "jax.experimental.shard_map.shard_map(own, over, (P(), P('d')), P('d'), check_rep=False)(1.0, x[:2])",
        "jnp.array([1.0, 2.0])",
        "jax.shard_map(own, mesh=over, in_specs=(P(), P('d')), out_specs=P('d'))(1.0, x[:2])",
    ),
    "a mesh is entered by `with`, not before": Trap(
        ("jax.sharding.use_mesh",),
        "before(jax.sharding.use_mesh)",
        "()",
        "before(jax.set_mesh)",
        is_left=True,
    ),
    "parts of a mesh, one by one": Trap(
        ("jax.sharding.PositionalSharding",), LAYOUT.format(POSITIONAL), "(4, 2)", LAYOUT.format(MESH.format("'x'"))
    ),
    "what is replicated along an axis of one": Trap(
        ("jax.sharding.PositionalSharding",),
        LAYOUT.format(f"{POSITIONAL}.replicate(0)"),
        "(4, 2)",
        LAYOUT.format(MESH.format("")),
    ),
    "placed results, not placed arguments": Trap(
        (
            "jax.experimental.pjit.pjit",
            "jax.experimental.pjit.pjit(in_axis_resources=)",
            "jax.experimental.pjit.pjit(out_axis_resources=)",
        ),
        PJIT,
        "(2,)",
        "jax.jit(jnp.sin, in_shardings=halves, out_shardings=whole)(np.ones(4)).addressable_shards[0].data.shape",
    ),
    "quantile keeps its method": Trap(
        ("jax.numpy.quantile(interpolation=)",),
        'jnp.quantile(x, 0.4, interpolation="lower")',
        "jnp.float32(2.0)",
        "jnp.quantile(x, 0.4)",
    ),
    "percentile keeps its method": Trap(
        ("jax.numpy.percentile(interpolation=)",),
        "jnp.percentile(x, 40.0, interpolation='higher')",
        "jnp.float32(3.0)",
        "jnp.percentile(x, 40.0)",
    ),
    "nanquantile keeps its method": Trap(
        ("jax.numpy.nanquantile(interpolation=)",),
        "jnp.nanquantile(x, 0.4, interpolation='nearest')",
        "jnp.float32(2.0)",
        "jnp.nanquantile(x, 0.4)",
    ),
    "nanpercentile keeps its method": Trap(
        ("jax.numpy.nanpercentile(interpolation=)",),
        "jnp.nanpercentile(x, 40.0, interpolation='midpoint')",
        "jnp.float32(2.5)",
        "jnp.nanpercentile(x, 40.0)",
    ),
    "reshape keeps its order": Trap(
        ("jax.numpy.reshape(newshape=)",),
        'jnp.reshape(x, order="F", newshape=(2, 2))',
        "jnp.array([[1.0, 3.0], [2.0, 4.0]])",
        "jnp.reshape(x, (2, 2))",
    ),
    "a callback gets what is not mapped as it is": Trap(
        ("jax.pure_callback(vectorized=)",),
        "jax.vmap(lambda u: jax.pure_callback(first, of, u, x, vectorized=True))(x)",
        "x + 1",
        "jax.vmap(lambda u: jax.pure_callback(first, of, u, x, vmap_method='expand_dims'))(x)",
    ),
    "a callback gets one at a time": Trap(
        ("jax.pure_callback(vectorized=)",),
        "jax.vmap(lambda u: jax.pure_callback(most, of, u, vectorized=False))(x)",
        "x",
        "jax.vmap(lambda u: jax.pure_callback(most, of, u, vmap_method='expand_dims'))(x)",
    ),
    "the third of dot is a precision, and the fourth a dtype": Trap(
        ("jax.lax.dot(2)",),
        "str(jax.lax.dot(x, x, None, jnp.bfloat16).dtype)",
        "'bfloat16'",
        "str(jax.lax.dot(x, x, precision=None).dtype)",
    ),
    "the fifth of array is a number of axes": Trap(
        ("jax.numpy.array(2)",), "jnp.array([1, 2], None, True, 'K', 2)", "jnp.array([[1, 2]])", "jnp.array([1, 2])"
    ),
    "to_py was a copy of an array that may go": Trap(
        ("jax.Array.to_py",), "type(jnp.ones(2).to_py()).__name__", "'ndarray'", "type(jnp.ones(2)).__name__"
    ),
    "a buffer is one of a device": Trap(
        ("jax.Array.device_buffer",),
        "jnp.ones(4, device=halves).device_buffer.shape",
        "(2,)",
        "jnp.ones(4, device=halves).shape",
    ),
    "a key without its kind": Trap(
        ("jax.Array.unsafe_raw_array",),
        "str(jax.random.split(jax.random.key(3))[0].unsafe_raw_array().dtype)",
        "'uint32'",
        "str(jax.random.split(jax.random.key(3))[0].dtype)",
    ),
    "a second argument of tree_l2_norm is no order": Trap(
        ("optax.tree_utils.tree_l2_norm",),
        "optax.tree_utils.tree_l2_norm(x, True)",
        "jnp.float32(30.0)",
        "optax.tree.norm(x, True)",
    ),
    "the norm of tree_l1_norm is another than the usual one": Trap(
        ("optax.tree_utils.tree_l1_norm",),
        "optax.tree_utils.tree_l1_norm(x)",
        "jnp.float32(10.0)",
        "optax.tree.norm(x)",
    ),
    "more than arrays were of this type": Trap(
        ("jax.sharding.XLACompatibleSharding",),
        "isinstance(Own(), jax.sharding.XLACompatibleSharding)",
        "False",
        "isinstance(Own(), jax.sharding.Sharding)",
        is_left=True,
    ),
    "what a lowered function returned was of its own type": Trap(
        ("jax.stages.OutInfo",),
        "isinstance(of, jax.stages.OutInfo)",
        "False",
        "isinstance(of, jax.ShapeDtypeStruct)",
        is_left=True,
    ),
    "the state of a variable was no variable": Trap(
        ("flax.nnx.VariableState",),
        "isinstance(x, __import__('flax.nnx').nnx.VariableState)",
        "False",
        None,
        is_left=True,
    ),
    **{
        f"{old.rpartition('.')[2]} of {old.rpartition('.')[0]} was no {'key' if 'Key' in old else 'tracer'}": Trap(
            (old,),
            f"jax.jit(lambda v: jnp.float32(isinstance(v, {old})))({value})",
            "jnp.float32(0.0)",
            f"jax.jit(lambda v: jnp.float32(isinstance(v, jax.Array)))({value})",
            is_left=True,
        )
        for old, value in TYPES.items()
    },
}
LOUD = {
    "jax.Array.device": "an array on several devices has raised",
    "jax.Array.device_buffers": "one buffer for each shard on a device of this process, in their order",
    "jax.Array.layout": "`format` is the same object",
    "jax.jit(donate_argnames=)": "a name that the function lacks has donated nothing",
    "jax.jit(static_argnames=)": "a name that the function lacks has made nothing static",
    "jax.numpy.argsort(kind=)": "the sort was stable, whatever it said",
    "jax.numpy.sort(kind=)": "the sort was stable, whatever it said",
    "jax.jit(fun=)": "a call without it raises, and it has one place to go",
    "jax.extend.ffi": "its functions are those of `jax.ffi` where both are; what is called as before 0.4.35 raises",
    "jax.experimental.array_api": "its functions are those of `jax.numpy`: the very same in jax 0.4.36",
    "jax.experimental.compilation_cache.compilation_cache.initialize_cache": "it calls the new one, with the same path",
    "optax.experimental.GradientTransformationWithExtraArgs": "a tuple of the same two functions",
}
"""Rows that a careless rewrite cannot break silently, and why."""
DRAWS = {
    **dict.fromkeys(
        ("cauchy", "exponential", "gumbel", "laplace", "logistic", "maxwell", "normal", "rademacher"), "(9,)"
    ),
    **dict.fromkeys(("bits", "uniform"), "(9,)"),
    **dict.fromkeys(
        ("chisquare", "gamma", "generalized_normal", "loggamma", "lognormal", "pareto", "rayleigh", "t", "wald"),
        "2.0, (9,)",
    ),
    **dict.fromkeys(("beta", "f", "weibull_min"), "2.0, 3.0, (9,)"),
    **dict.fromkeys(("bernoulli", "geometric"), "0.3, (99,)"),
    **dict.fromkeys(("ball", "orthogonal"), "3"),
    "binomial": "9.0, 0.3, (99,)",
    "categorical": "jnp.ones((99, 9))",
    "choice": "99, (9,)",
    "dirichlet": "x, (3,)",
    "double_sided_maxwell": "0.0, 1.0, (9,)",
    "multinomial": "99, x / 10",
    "multivariate_normal": "x, jnp.eye(4)",
    "permutation": "99",
    "poisson": "3.0, (99,)",
    "randint": "(9,), 0, 99",
    "split": "",
    "triangular": "0.0, 0.5, 1.0, (9,)",
    "truncated_normal": "-1.0, 1.0, (9,)",
}
"""What each function that draws is called with, behind its key."""
SINGLE = "jnp.stack([jnp.eye(2)] * 2)"
BEHAVIOURS = {
    "jax.numpy.linalg.solve since 0.5.0": (f"jnp.linalg.solve({SINGLE}, jnp.ones((2, 2))).shape", "(2, 2)"),
    "jax.numpy.empty since 0.11.0": ("jnp.empty(2)", ""),
    "jax.numpy.empty_like since 0.11.0": ("jnp.empty_like(x)", ""),
    "jax.make_mesh since 0.9.0": ("jax.make_mesh((2,), ('d',)).axis_types", "(jax.sharding.AxisType.Auto,)"),
    "jax.scipy.stats.rankdata since 0.10.0": ("str(jax.scipy.stats.rankdata(x, method='min').dtype)", "'int32'"),
    "jax.pmap since 0.9.0": ("jax.pmap(lambda v: v)(x[:2]).addressable_shards[0].data.shape", "()"),
    "jax.experimental.shard_map.shard_map since 0.6.1": (
        "from jax.experimental.shard_map import shard_map as f\nout = f(own, over, (P(), P('d')), P('d'))(1.0, x[:2])",
        "jnp.array([1.0, 2.0])",
    ),
    "jax.numpy.cross since 0.11.0": ("jnp.cross(x[:2], x[2:])", "jnp.float32(-2.0)"),
    **{
        f"jax.numpy.{last} since 0.4.31": (f"str(jnp.{last}(jnp.array([3])).dtype)", "'float32'")
        for last in ("ceil", "floor", "trunc")
    },
    "jax.numpy.linalg.matrix_power since 0.6.1": (
        "str(jnp.linalg.matrix_power(jnp.array([[1, 2], [3, 4]]), 3).dtype)",
        "'float32'",
    ),
    "jax.numpy.unique since 0.4.24": ("jnp.unique(big, return_inverse=True)[1].shape", "(12,)"),
    "jax.scipy.linalg.toeplitz since 0.4.36": ("jax.scipy.linalg.toeplitz(big).shape", "(12, 12)"),
    "jax.random.randint since 0.7.2": (
        "jax.random.randint(key, (3,), 0, 99, dtype=jnp.int8)",
        "jax.random.randint(key, (3,), 0, 98, dtype=jnp.int8)",
    ),
    **{
        f"jax.random.{last} since 0.4.18": (
            f"jax.random.{last}(key, {args})",
            f"jax.random.{last}(jax.random.split(key)[0], {args})",
        )
        for last, args in {
            **dict.fromkeys(("chisquare", "gamma", "generalized_normal", "loggamma"), "0.3, (9,)"),
            **{"beta": "0.3, 0.4, (9,)", "dirichlet": "x / 9, (3,)"},
        }.items()
    },
    **{
        f"optax.{last} since 0.2.4": (f"optax.{last}{args}.update(x, optax.{last}{args}.init(x))[0]", meant)
        for last, args, meant in (
            *(("adabelief", "(1.0)", "-jnp.ones(4)"), ("scale_by_belief", "()", "jnp.ones(4)")),
            *(("optimistic_gradient_descent", "(1.0)", "-2 * x"), ("scale_by_optimistic_gradient", "()", "2 * x")),
        )
    },
    "optax.noisy_sgd since 0.2.3": ("optax.noisy_sgd(0.1, key=3)", ""),
    "optax.add_noise since 0.2.3": ("optax.add_noise(0.1, 0.5, 3)", ""),
    "optax.contrib.prodigy since 0.1.9": (
        "optax.contrib.prodigy().update(x, optax.contrib.prodigy().init(x), x)[0]",
        "optax.contrib.prodigy(0.1).update(x, optax.contrib.prodigy(0.1).init(x), x)[0]",
    ),
    "flax.nnx.Dropout since 0.11.2": ("from flax import nnx; out = nnx.Dropout(0.5)", ""),
    **{
        f"numpyro.diagnostics.{last} since 0.16.0": (
            f"from numpyro.diagnostics import {last}; out = {last}(np.sin(np.arange(99.0)){at})",
            f"from numpyro.diagnostics import {last}; out = {last}(np.sin(np.arange(99.0)){at}, bias=False)",
        )
        for last, at in (("autocorrelation", ""), ("autocovariance", ""), ("effective_sample_size", "[None]"))
    },
    "orbax.checkpoint.PyTreeCheckpointHandler since 0.4.4": (
        "import orbax.checkpoint as ocp; out = ocp.PyTreeCheckpointHandler()",
        "",
    ),
    "jax.random.ball since 0.4.18": ("jax.random.ball(key, 2)", "jnp.zeros(2)"),
    **{
        f"jax.random.{last} since 0.5.0": (
            f"jax.random.{last}(key, {args})",
            f"as_before(lambda: jax.random.{last}(key, {args}))",
        )
        for last, args in DRAWS.items()
    },
}
"""By the row of a meaning: code with a finding, and what it came to before; empty where nothing fixed does today."""
PREAMBLE = """\
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import PartitionSpec as P

x = jnp.arange(1.0, 5.0)
key = jax.random.PRNGKey(3)
big = jnp.arange(12.0).reshape(3, 4)
of = jax.ShapeDtypeStruct((), jnp.float32)
over = jax.sharding.Mesh(np.array(jax.devices()), ("d",))
halves, whole = jax.sharding.NamedSharding(over, P("d")), jax.sharding.NamedSharding(over, P())


class Own(jax.sharding.Sharding):
    device_set = property(lambda self: set(jax.devices()))


def among(kind, function):
    with jax.default_prng_impl(kind):
        return function()


def as_before(draw):
    with jax.threefry_partitionable(False):
        return draw()


def dtype_in(context):
    with jax.enable_x64(True), context:
        return str(jnp.ones(2).dtype)


def own(w, v):
    return jax.grad(lambda w: (w * v).sum())(w)[None]


def of_each(vary):
    grad = lambda w, v: jax.grad(lambda u: (u * v).sum())(vary(w))[None]
    return jax.shard_map(grad, mesh=over, in_specs=(P(), P("d")), out_specs=P("d"))(1.0, x[:2])


def before(enter):
    context = enter(over)
    seen = jax.sharding.get_abstract_mesh().axis_names
    with context:
        return seen


def first(u, w):
    return (np.asarray(u) + np.asarray(w)[0]).astype(np.float32)


def most(u):
    return np.broadcast_to(np.max(u), np.shape(u)).astype(np.float32)


"""
RUN = """\
import json, sys
said = []
for source in json.load(sys.stdin):
    there = {}
    try:
        exec(source, there)
        out = there["out"]
        said.append(repr(out.tolist()) if hasattr(out, "tolist") else repr(out))
    except Exception as error:
        said.append(f"raises {type(error).__name__}: {error}"[:300])
print(json.dumps(said))
"""


def program(code: str) -> str:
    return PREAMBLE + (code if "out = " in code else f"out = {code}\n")


def of(source: str) -> SourceFile:
    return SourceFile.decode("a.py", source.encode())


def rewritten(code: str) -> str:
    return plan(of(program(code)), BOTH, lambda fix: None).after.decode()


def run(sources: list[str]) -> list[str]:
    """What `out` of each comes to, on two devices."""
    env = os.environ | {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    asked = json.dumps(sources)
    done = subprocess.run([sys.executable, "-c", RUN], input=asked, capture_output=True, text=True, check=True, env=env)
    said: list[str] = json.loads(done.stdout.splitlines()[-1])
    return said


@pytest.fixture(scope="module")
def results() -> dict[str, tuple[str, str, str]]:
    """What rewritten, meant and careless code comes to, of each trap."""
    every = (
        (
            program(trap.meant) if trap.is_left else rewritten(trap.old),
            program(trap.meant),
            program(trap.careless or "0"),
        )
        for trap in TRAPS.values()
    )
    said = run([source for three in every for source in three])
    return {name: (said[3 * n], said[3 * n + 1], said[3 * n + 2]) for n, name in enumerate(TRAPS)}


def test_each_row_has_a_trap_or_a_reason_why_none_can_be() -> None:
    careful = {name(row) for row in ROWS if is_careful(row)}
    trapped = {row for trap in TRAPS.values() for row in trap.rows}
    assert careful - trapped - set(LOUD) - set(BEHAVIOURS) == set()
    assert set(LOUD) & trapped == set() and trapped | set(LOUD) | set(BEHAVIOURS) <= {name(row) for row in ROWS}


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS)
def test_what_stands_there_goes_or_is_left(trap: Trap) -> None:
    assert (rewritten(trap.old) == program(trap.old)) == trap.is_left


@pytest.mark.parametrize("trap", TRAPS)
def test_a_rewrite_does_what_the_old_code_did(trap: str, results: dict[str, tuple[str, str, str]]) -> None:
    fixed, meant, careless = results[trap]
    assert fixed == meant != careless
    assert not any(each.startswith("raises") for each in results[trap])


MEANINGS = {name(row): row for row in ROWS if isinstance(row, Meaning)}


@pytest.mark.parametrize("row", BEHAVIOURS)
def test_another_meaning_is_told_of_code_from_before_and_left(row: str) -> None:
    since, source, package = version(MEANINGS[row].since), program(BEHAVIOURS[row][0]), MEANINGS[row].package
    before, after = (
        {each.finding.fate: each.finding.recipe for each in analyze(of(source), REMOVED, surroundings=around).found}
        for around in (_from(package, (0, 0, 13)), _from(package, since))
    )
    told = Fate(package, differs=MEANINGS[row].since)
    assert told in before and before[told] is None and told not in after


def _from(package: str, came_from: tuple[int, ...]) -> Surroundings:
    return Surroundings(jax=(0, 12), came_from=came_from if package == "jax" else None, origins=((package, came_from),))


def _is_here(row: Meaning) -> bool:
    """Whether what is installed is newer than the change."""
    try:
        installed = importlib.metadata.version(row.package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return version(row.since) <= version(installed)


@pytest.mark.slow
def test_what_has_another_meaning_comes_to_something_else() -> None:
    here = [row for row in BEHAVIOURS if _is_here(MEANINGS[row]) and BEHAVIOURS[row][1]]
    said = run([program(code) for row in here for code in BEHAVIOURS[row]])
    assert len(here) > 40 and not any(each.startswith("raises") for each in said)
    assert [row for n, row in enumerate(here) if said[2 * n] == said[2 * n + 1]] == []
