"""Programs of the table: the old code of a row, which has to print with old versions what the new one prints today."""

_HEAD = "import jax\nimport jax.numpy as jnp\n\nx = jnp.arange(1.0, 7.0)\nkey = jax.random.PRNGKey(3)\n"
_SHOWN = "\nprint(jax.tree_util.tree_map(lambda leaf: getattr(leaf, 'tolist', lambda: leaf)(), out))\n"
_TREE = '{"w": x, "b": [x[0], None]}'

_OUT = {
    "jax.tree_map": f"jax.tree_map(lambda v: 2 * v, {_TREE})",
    "jax.tree_flatten": f"jax.tree_flatten({_TREE})[0]",
    "jax.tree_leaves": f"jax.tree_leaves({_TREE})",
    "jax.tree_structure": f"str(jax.tree_structure({_TREE}))",
    "jax.tree_transpose": (
        f"jax.tree_transpose(jax.tree_util.tree_structure([0, 0]), jax.tree_util.tree_structure({_TREE}),"
        f" [{_TREE}, {_TREE}])"
    ),
    "jax.tree_unflatten": f"jax.tree_unflatten(jax.tree_util.tree_structure({_TREE}), [1, 2])",
    "jax.treedef_is_leaf": "jax.treedef_is_leaf(jax.tree_util.tree_structure(x))",
    "jax.numpy.product": "jnp.product(x), jnp.product(x.reshape(2, 3), axis=1)",
    "jax.numpy.cumproduct": "jnp.cumproduct(x)",
    "jax.numpy.sometrue": "jnp.sometrue(x > 3), jnp.sometrue(x.reshape(2, 3) > 3, axis=0)",
    "jax.numpy.alltrue": "jnp.alltrue(x > 3)",
    "jax.numpy.row_stack": "jnp.row_stack([x, x])",
    "jax.numpy.trapz": "jnp.trapz(x**2, dx=0.5)",
    "jax.numpy.round_": "jnp.round_(x / 3, 2)",
    "jax.numpy.fix": "jnp.fix(x / 3 - 1)",
    "jax.numpy.in1d": "jnp.in1d(x.reshape(2, 3), jnp.array([2.0, 5.0])), jnp.in1d(x, x[:1], invert=True)",
    "jax.numpy.NINF": "jnp.NINF, jnp.NINF**2",
    "jax.numpy.PZERO": "jnp.PZERO",
    "jax.numpy.NZERO": "jnp.NZERO",
    "jax.numpy.clip(a_min=)": "jnp.clip(x, a_max=4.0, a_min=2.0), jnp.clip(a=x, a_min=3.0)",
    "jax.numpy.reshape(newshape=)": "jnp.reshape(x, newshape=(3, 2))",
    "jax.numpy.quantile(interpolation=)": 'jnp.quantile(x, 0.3, interpolation="lower")',
    "jax.numpy.percentile(interpolation=)": 'jnp.percentile(x, 30.0, interpolation="higher")',
    "jax.numpy.nanquantile(interpolation=)": 'jnp.nanquantile(x, 0.3, interpolation="lower")',
    "jax.numpy.nanpercentile(interpolation=)": 'jnp.nanpercentile(x, 30.0, interpolation="higher")',
    "jax.jit(static_argnames=)": 'jax.jit(lambda v, n: v * n, static_argnames=("n", "m"))(x, n=2)',
    "jax.jit(donate_argnames=)": 'jax.jit(lambda v, n: v * n, donate_argnames="m")(x, 2)',
    "jax.jit(fun=)": "jax.jit(fun=lambda v: v + 1)(x)",
    "jax.numpy.array(2)": "jnp.array([1, 2], None, True, 'K', 3)",
    "jax.lax.dot(2)": "jax.lax.dot(x, x, jax.lax.Precision.HIGHEST)",
    "jax.lax.tie_in": "jax.lax.tie_in(x, x + 1)",
    "jax.lax.zeros_like_array": "jax.lax.zeros_like_array(x)",
    "jax.lax.prod": "jax.lax.prod([2, 3])",
    "jax.scipy.linalg.tril": "__import__('jax.scipy.linalg') and jax.scipy.linalg.tril(x.reshape(2, 3), 1)",
    "jax.scipy.linalg.triu": "__import__('jax.scipy.linalg') and jax.scipy.linalg.triu(x.reshape(2, 3))",
    "jax.nn.normalize": "jax.nn.normalize(x), jax.nn.normalize(x.reshape(2, 3), axis=0, epsilon=0.1)",
    "jax.random.shuffle": "jax.random.shuffle(key, x), jax.random.shuffle(key, x.reshape(2, 3), axis=1)",
    "jax.random.threefry2x32_key": "jax.random.threefry2x32_key(3)",
    "jax.pure_callback(vectorized=)": (
        "jax.vmap(lambda v: jax.pure_callback(lambda u, w: u + w[0], jax.ShapeDtypeStruct((), v.dtype), v, x, "
        "vectorized=True))(x)"
    ),
    "jax.core.full_lower": "jax.core.full_lower(x)",
    "jax.core.get_aval": "str(jax.core.get_aval(x))",
    "jax.numpy.sort(kind=)": 'jnp.sort(x, kind="stable"), jnp.sort(x, 0, kind=None)',
    "jax.numpy.argsort(kind=)": 'jnp.argsort(-x % 3, kind="quicksort")',
    "jax.Array.device_buffer": "jnp.ones(3).device_buffer",
    "jax.Array.device_buffers": "jnp.ones(3).device_buffers",
    "jax.Array.device": "str(jnp.ones(3).device())",
    "jax.Array.broadcast": "jnp.ones(3).broadcast((2, 1))",
    "jax.Array.broadcast_in_dim": "jnp.arange(3.0).broadcast_in_dim(shape=(2, 3), broadcast_dimensions=(1,))",
    "jax.Array.split": "jnp.arange(6.0).split(3), jnp.ones((2, 3)).split([1, 2], axis=1)",
    "jax.Array.layout": "str(jnp.ones(3).layout.sharding)",
    "jax.ad_checkpoint.checkpoint": (
        "__import__('jax.ad_checkpoint') and jax.grad(jax.ad_checkpoint.checkpoint(lambda v: jnp.sin(v).sum()))(x)"
    ),
}
_OUT["jax.ad_checkpoint.remat"] = _OUT["jax.ad_checkpoint.checkpoint"].replace(".checkpoint(", ".remat(")
_OPTAX = (
    "import jax.numpy as jnp\nimport optax\nimport optax.tree_utils\n\n"
    't = {"a": jnp.arange(3.0), "b": [jnp.float32(4.0)]}\n'
)
_WHOLE = {
    "jax.config.config": "from jax.config import config\nimport jax.numpy as jnp\n\n"
    'config.update("jax_enable_x64", True)\nprint(jnp.ones(1).dtype)\nconfig.update("jax_enable_x64", False)\n',
    "jax.experimental.enable_x64": "import jax.numpy as jnp\nfrom jax.experimental import enable_x64\n\n"
    "with enable_x64():\n    print(jnp.ones(1).dtype)\nprint(jnp.ones(1).dtype)\n",
    "jax.experimental.disable_x64": "import jax.numpy as jnp\nfrom jax.experimental import disable_x64, enable_x64\n\n"
    "with enable_x64(True), disable_x64():\n    print(jnp.ones(1).dtype)\n",
    "jax.experimental.shard_map.shard_map": "import jax\nimport numpy as np\n"
    "from jax.experimental.shard_map import shard_map\nfrom jax.sharding import Mesh, PartitionSpec as P\n\n"
    'mesh = Mesh(np.array(jax.devices()), ("d",))\n'
    'f = shard_map(lambda v: jax.lax.psum(v, "d"), mesh, P("d"), P(), check_rep=False)\nprint(f(np.arange(8.0)))\n',
    "jax.experimental.pjit.with_sharding_constraint": "import jax\nimport numpy as np\n"
    "from jax.experimental.pjit import with_sharding_constraint\nfrom jax.sharding import Mesh, NamedSharding, "
    'PartitionSpec as P\n\nmesh = Mesh(np.array(jax.devices()), ("d",))\n'
    'place = NamedSharding(mesh, P("d"))\n'
    "print(jax.jit(lambda v: with_sharding_constraint(v, place) + 1)(np.arange(8.0)))\n",
    "jax.sharding.use_mesh": "import jax\nimport numpy as np\nfrom jax.sharding import Mesh, use_mesh\n\n"
    'with use_mesh(Mesh(np.array(jax.devices()), ("d",))):\n'
    "    print(jax.sharding.get_abstract_mesh().axis_names)\n",
    "jax.experimental.mutable_array": "import jax.numpy as jnp\nfrom jax.experimental import mutable_array\n\n"
    "r = mutable_array(jnp.arange(3.0))\nr[0] = 5.0\nprint(r[...])\n",
    "jax.sharding.PositionalSharding": "import jax\nimport jax.numpy as jnp\n"
    "from jax.experimental import mesh_utils\nfrom jax.sharding import PositionalSharding\n\n"
    "sharding = PositionalSharding(mesh_utils.create_device_mesh((8,)))\n"
    "grid = sharding.reshape(2, 4)\nx = jnp.arange(64.0).reshape(8, 8)\n"
    "placed = (\n    jax.device_put(x, sharding.reshape(4, 2)),\n    jax.device_put(x, grid.T),\n"
    "    jax.device_put(x, grid.replicate(0)),\n    jax.device_put(x, grid.replicate(axis=-1, keepdims=True)),\n"
    "    jax.device_put(x[0], sharding.replicate()),\n    jax.jit(jnp.sin, out_shardings=grid)(x),\n)\n"
    "for each in placed:\n    print([(part.device.id, part.index) for part in each.addressable_shards])\n",
    "jax.lib.xla_bridge.get_backend": "from jax.lib import xla_bridge\n\nprint(xla_bridge.get_backend().platform)\n",
    "optax.additive_weight_decay": "import jax.numpy as jnp\nimport optax\n\nt = optax.additive_weight_decay(0.5)\n"
    "p = jnp.arange(3.0)\nprint(t.update(p, t.init(p), p)[0].tolist())\n",
    "optax.tree_utils.tree_l2_norm": f"{_OPTAX}print(optax.tree_utils.tree_l2_norm(t))\n"
    "print(optax.tree_utils.tree_l2_norm(t, True))\n",
    "optax.tree_utils.tree_l1_norm": f"{_OPTAX}print(optax.tree_utils.tree_l1_norm(t))\n",
    "optax.tree_utils.tree_scalar_mul": f"{_OPTAX}print(optax.tree_utils.tree_scalar_mul(2.0, t))\n",
    "optax.tree_utils.tree_add_scalar_mul": f"{_OPTAX}print(optax.tree_utils.tree_add_scalar_mul(t, 2.0, t))\n",
    **{
        f"chex.{last}": f"import chex\nimport jax.numpy as jnp\n\nt = [jnp.ones(2), jnp.zeros(3)]\nu = [jnp.ones(2), "
        f"jnp.ones(2)]\nchex.{last}(t, t)\ntry:\n    chex.{last}(t, u)\nexcept AssertionError:\n"
        '    print("differ")\n'
        for last in ("assert_tree_all_close", "assert_tree_all_equal_structs", "assert_tree_all_equal_shapes")
    },
}

_WHOLE["chex.assert_tree_all_equal_comparator"] = (
    "import chex\nimport jax.numpy as jnp\n\nchex.assert_tree_all_equal_comparator(lambda a, b: a.shape == b.shape, "
    'lambda a, b: "apart", [jnp.ones(2)], [jnp.zeros(2)])\nprint("alike")\n'
)

EXAMPLES = {row: f"{_HEAD}out = {code}{_SHOWN}" for row, code in _OUT.items()} | _WHOLE
"""By the name of the row."""
