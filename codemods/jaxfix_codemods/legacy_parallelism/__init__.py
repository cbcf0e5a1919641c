"""`jax.pmap`, `pjit` and `with mesh:`, kept by jax for old code, and `PositionalSharding`, removed.

Since jax 0.8, `pmap` is `jit` of `shard_map`.

`pmap` maps a function over the first axis of its arguments, a row for each device. `jax.shard_map` does the same over
an axis of a mesh, and `jax.jit` compiles it: the one mechanism for many devices that newer parts of jax build on. A
helper that does this is written above the first use, once for each kind, and called in place of `pmap` with the same
function, axis, `in_axes`, devices and donated arguments. It keeps the name of the axis, every collective and the
leading axis of arguments and results, so `replicate`, `shard`, `unreplicate` and `x[0]` still work. You may then drop
the leading axis of parameters: replace `replicate(x)` by `x`, and set `in_axes` of that argument to `None`.

The helper passes `check_vma=False`: with the check, `jax.grad` of a replicated value is already summed over the mesh,
and a `pmean` of it would silently be too large by the number of devices. `jit` alone is not the same either:
statistics, norms, clips and draws in the function are those of one device.

`pjit` becomes `jax.jit`, and each `PartitionSpec` argument the `NamedSharding` of the mesh that the file enters. None
means the whole array on each device for `pjit`, and the sharding of the argument for `jit`, so it becomes
`NamedSharding(mesh, PartitionSpec())`. `with mesh:` becomes `with jax.set_mesh(mesh):` if nothing in its block
creates an array: under `jax.set_mesh` a new array is on all devices, and a `jit` with its own shardings rejects it.

`PositionalSharding`, gone since jax 0.7.0, numbers the axes of an array. `NamedSharding` of a mesh with the same
devices, in the same shape, names them. Its `reshape`, `replicate` and `.T`, and variables that hold it, are followed
to the functions that place arrays by it, and every device holds the same part as before.

Before:
    import functools

    import jax
    import jax.numpy as jnp


    @functools.partial(jax.pmap, axis_name="batch")
    def step(w, x):
        grads = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
        return w - 0.1 * jax.lax.pmean(grads, "batch")

After:
    import functools

    import jax
    import jax.numpy as jnp
    import numpy as np


    def map_rows(function, axis):
        \"\"\"Maps `function` over the rows of its arguments, one for each device.\"\"\"

        def on_device(*shards):
            rows = jax.tree.map(lambda x: jnp.squeeze(x, 0), shards)
            return jax.tree.map(lambda x: jnp.expand_dims(x, 0), function(*rows))

        @jax.jit
        @functools.wraps(function)
        def mapped(*args):
            mesh = jax.sharding.Mesh(np.array(jax.devices()), (axis,))
            spec = jax.sharding.PartitionSpec(axis)
            call = jax.shard_map(
                on_device, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False
            )
            return call(*args)

        return mapped


    @functools.partial(map_rows, axis="batch")
    def step(w, x):
        grads = jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)
        return w - 0.1 * jax.lax.pmean(grads, "batch")

Safety: needs a rerun. The mesh contains all devices at the first call, so an array whose first axis is shorter than
the number of devices, which `pmap` runs on the first few, raises. Errors of `pmap` have other texts; a call outside
of the mesh, which `pjit` with a `PartitionSpec` rejects, runs.

Declined for `pmap`, with the reason: code of a multi-host project, where each process passes its own part of an
array; a `pmap` in traced code or inside another one; axes other than the first; static arguments; keyword arguments
of the mapped function; a `pmap` that is passed on; one that is made and called at once in a function or a loop, where
a new `jit` would compile each time. For jax before 0.6.1, `jax.experimental.shard_map` with `check_rep=False` is
written; for jax before 0.4.30, nothing.

Declined for `pjit`: a `PartitionSpec` that is not in the file, and files that enter no mesh, or several. For `with
mesh:`: a block that calls anything but jitted functions of the project, NumPy and builtins, or that defines a
function; a file that imports a library which may read that mesh itself, as flax before 0.12 does, since it would
silently drop its constraints under `jax.set_mesh`; a mesh of `jax.make_mesh`, whose axes have the type `Explicit`,
under which sharding constraints raise. For `PositionalSharding`: shardings whose shape is read, that are compared, or
that are passed to functions which do not place arrays; an unknown number of axes; sharding constraints with meshes of
several shapes, which jax 0.10 ignores. [By hand](../by-hand.md) has the steps.

Evidence: results equal bit for bit, on at least two devices: on one device every axis has size 1, and mistakes do not
show, so a proof on one device is refused. `XLA_FLAGS=--xla_force_host_platform_device_count=8` gives a CPU eight
devices.

A `pmap`, which jax runs without a warning, is left alone unless `--select legacy-parallelism` or `upgrade` asks for
it. `check` reports what is deprecated and left to a person with `--all`.

Source: https://docs.jax.dev/en/latest/migrate_pmap.html and
https://docs.jax.dev/en/latest/notebooks/shard_map.html
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice

from jaxfix.api import Codemod, Confidence, Declined, Equality, Finding, Module, Proves, Safety
from jaxfix.api.analysis import Change
from jaxfix_codemods.legacy_parallelism import entering, partitioned, positional
from jaxfix_codemods.legacy_parallelism.mapped import PMAP, Mapped, caller, check, is_of_many_hosts, mapped
from jaxfix_codemods.legacy_parallelism.meshes import MESHES
from jaxfix_codemods.legacy_parallelism.writing import write

_KEPT = (0, 8, 0)
"""The jax that keeps `pmap` for old code."""


def find(module: Module) -> Iterator[Finding]:
    around = module.surroundings
    if Change.NEWER_FORM in around.asked and around.admits("jax", _KEPT):
        found = (_finding(module, mapped(module, place)) for place in module.references(PMAP))
        yield from islice(found, _most(module))
    yield from partitioned.find(module)
    yield from entering.find(module)
    yield from positional.find(module)


def _most(module: Module) -> int | None:
    """Of a file of many hosts the first finding says all there is to say, unless a change of version is asked for."""
    return 1 if module.surroundings.came_from is None and is_of_many_hosts(module) else None


def _finding(module: Module, each: Mapped) -> Finding:
    found = partial(
        Finding,
        at=each.at,
        message="`jax.pmap` is kept for old code: `jit` of `shard_map` does the same",
        title="Replace `pmap` with `jit` of `shard_map`",
        confidence=Confidence.POSSIBLE,
    )
    try:
        check(module, each)
    except Declined as declined:
        return found(declined=declined.reason)
    return found(recipe=partial(write, module, each), shows=caller(module, each))


CODEMOD = Codemod(
    id="legacy-parallelism",
    triggers=(PMAP, partitioned.PJIT, positional.OLD, *sorted(MESHES)),
    safety=Safety.NEEDS_EVIDENCE,
    equality=Equality.BITWISE,
    find=find,
    proves=Proves.SAME_ON_DEVICES,
)
