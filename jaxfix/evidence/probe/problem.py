"""What is solved: a quadratic whose batch is drawn again for every step, by numpy, which compiles nothing."""

import importlib
from collections.abc import Callable
from typing import Any

# By kind; a shape without a name is that of a bare array. Kinds that are not here are trees too.
_TREE = {"bias": (3,), "weight": (4, 3)}
_SHAPES: dict[str, dict[str, tuple[int, ...]]] = {
    "matrix": {"": (4, 3)},
    "vector": {"": (4,)},
    "scalar": {"": ()},
}
_EXAMPLES = 4
_BOUND = 10.0


class Problem:
    """A quadratic loss, with its residuals and a fixed point.

    The batch reaches the functions in two ways: as their second argument, where they are given one, and through a
    closure that is rebound at every step, so whatever remembers a function by identity remembers too much. Under jit a
    closure must read one batch for ever, and is not `rebound`; gradients and values are of the new batch anyway.

    Attributes:
      kind: a key of `_SHAPES`, or a tree: `examples` has gradients with a leading axis, one for each example.
    """

    def __init__(self, dtype: str, *, rebound: bool, kind: str = "tree") -> None:
        self.jax: Any = importlib.import_module("jax")
        self.np: Any = importlib.import_module("numpy")
        self.dtype = self.np.dtype(getattr(importlib.import_module("jax.numpy"), dtype))
        self.kind, self.shapes, self.rebound, self.step = kind, _SHAPES.get(kind, _TREE), rebound, 0
        self.scales = self._tree(lambda random, shape: random.uniform(0.5, 2.0, shape), "scale", 7)
        self.batch = self._normal("batch", 0)
        self.params = self.start(0)
        self._functions()

    def start(self, number: int) -> Any:
        """Other parameters for each number; those of `params` for 0."""
        return self._normal("params", number)

    def advance(self) -> None:
        """Draws the next batch."""
        self.step += 1
        self.batch = self._normal("batch", self.step)
        if self.rebound:
            self._rebind(self.batch)

    def gradients(self, params: Any) -> tuple[Any, Any]:
        """The value and, with a little noise, the gradients of the batch at `params`."""
        leaves = self.jax.tree_util.tree_leaves
        value, grads = 0.0, {}
        noise = self._random("noise", self.step)
        together = zip(self.shapes, leaves(params), leaves(self.scales), leaves(self.batch), strict=True)
        for name, *arrays in together:
            here, scale, target = map(self._wide, arrays)
            away = here - target
            value += float((scale * away * away).sum()) / 2
            shape = (_EXAMPLES, *self.shapes[name]) if self.kind == "examples" else self.shapes[name]
            grads[name] = self._array(scale * away + 0.05 * noise.normal(size=shape))
        return self._array(value), self._shaped(grads)

    def added(self, params: Any, updates: Any) -> Any:
        """`params` and `updates` together, added on the host."""
        return self.jax.tree_util.tree_map(lambda a, b: self._array(self._wide(a) + self._wide(b)), params, updates)

    def functions(self) -> dict[str, Callable[..., Any]]:
        """What constructors of solvers ask for, by the names of their parameters."""
        return {
            "fun": self.value_fn,
            "fn": self.value_fn,
            "objective": self.value_fn,
            "obj_fn": self.value_fn,
            "value_fn": self.value_fn,
            "residual_fun": self.residual_fn,
            "optimality_fun": self.residual_fn,
            "fixed_point_fun": self.fixed_point_fn,
            "projection": self._projected,
            "projection_grad": self._stepped,
        }

    def given(self) -> dict[str, Any]:
        """What calls of solvers ask for beside parameters and state, by the names of their parameters."""
        size = 4
        below, above = self._full(-_BOUND), self._full(_BOUND)
        wide = self.np.eye(size) * self.np.arange(1, size + 1)
        matrix, target = self._array(wide), self._array(self._random("target", self.step).normal(size=size))
        return {
            "bounds": (below, above),
            "hyperparams_proj": self._array(1.5),
            "hyperparams_prox": None,
            "params_obj": (matrix, target),
            "params_eq": (self._array(self.np.ones((1, size))), self._array(self.np.ones(1))),
            "params_ineq": (below, above),
            "A": matrix,
            "b": target,
            "fun_args": [self.batch],
            "init_stepsize": 1.0,
            "stepsize": 1.0,
            "data": self.batch,
            "options": {"lower": below, "upper": above} if self.kind == "scalar" else None,
        }

    def _functions(self) -> None:
        tree_map, leaves = self.jax.tree_util.tree_map, self.jax.tree_util.tree_leaves
        batch, scales = self.batch, self.scales

        def away(params: Any, data: Any) -> Any:
            mixed = batch if data is None else tree_map(lambda a, b: (a + b) / 2, batch, data)
            return tree_map(lambda a, b: a - b, params, mixed)

        def value_fn(params: Any, data: Any = None) -> Any:
            terms = tree_map(lambda scale, far: scale * far**2, scales, away(params, data))
            return sum(term.sum() for term in leaves(terms)) / 2

        def residual_fn(params: Any, data: Any = None) -> Any:
            return tree_map(lambda scale, far: scale * far, scales, away(params, data))

        def fixed_point_fn(params: Any, data: Any = None) -> Any:
            return tree_map(lambda a, far: a - far / 2, params, away(params, data))

        def rebind(drawn: Any) -> None:
            nonlocal batch
            batch = drawn

        self.value_fn, self.residual_fn, self.fixed_point_fn, self._rebind = (
            value_fn,
            residual_fn,
            fixed_point_fn,
            rebind,
        )

    def _projected(self, params: Any, bound: Any) -> Any:
        return self.jax.tree_util.tree_map(lambda leaf: leaf.clip(-bound, bound), params)

    def _stepped(self, params: Any, grads: Any, stepsize: Any, _: Any) -> Any:
        return self.jax.tree_util.tree_map(lambda a, b: a - stepsize * b, params, grads)

    def _normal(self, purpose: str, step: int) -> Any:
        return self._tree(lambda random, shape: random.normal(size=shape), purpose, step)

    def _full(self, value: float) -> Any:
        return self._tree(lambda _, shape: self.np.full(shape, value), "full", 0)

    def _tree(self, draw: Callable[[Any, tuple[int, ...]], Any], purpose: str, step: int) -> Any:
        random = self._random(purpose, step)
        return self._shaped({name: self._array(draw(random, shape)) for name, shape in self.shapes.items()})

    def _shaped(self, arrays: dict[str, Any]) -> Any:
        return arrays.get("", arrays)

    def _random(self, purpose: str, step: int) -> Any:
        return self.np.random.default_rng([*purpose.encode(), step])

    def _array(self, values: Any) -> Any:
        return self.jax.device_put(self.np.asarray(values).astype(self.dtype))

    def _wide(self, array: Any) -> Any:
        return self.np.asarray(array).astype(self.np.float64)
