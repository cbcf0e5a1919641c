"""Arrays taken from the caller become part of the carry, or operands."""

import jax.numpy as jnp
from jax import lax


def _decay_body(i, carry):
    value, rate = carry
    return value * rate, rate


def decay(x, rate):
    return lax.fori_loop(0, 10, _decay_body, (x, rate))[0]


def _filtered_body(carry, x):
    state, gain, bias = carry
    state = gain * state + bias * x
    return (state, gain, bias), state


def filtered(init, xs, gain, bias):
    (final, *_), states = lax.scan(_filtered_body, (init, gain, bias), xs)
    return final, states


def _smoothed_body(carry, x):
    state, gain = carry
    if gain.ndim == 1:
        return ((state + x, gain)), x
    return (gain * state + x, gain), state


def smoothed(init, xs, gain):
    (carry, _), stacked = lax.scan(_smoothed_body, (init, gain), xs=xs)
    return carry, stacked


def _last_body(carry, x):
    s, gain = carry
    return (gain * s + x, gain), None


def last(init, xs, gain):
    return lax.scan(_last_body, (init, gain), xs)[0][0]


def _outputs_body(carry, x):
    s, gain = carry
    return (gain * s + x, gain), s


def outputs(init, xs, gain):
    return lax.scan(_outputs_body, (init, gain), xs)[1]


def _newton_cond(carry):
    v, target, tolerance = carry
    return jnp.abs(v * v - target) > tolerance


def _newton_body(carry):
    v, target, tolerance = carry
    return 0.5 * (v + target / v), target, tolerance


def newton(x, target, tolerance):
    return lax.while_loop(
        _newton_cond,
        _newton_body,
        (x, target, tolerance),
    )[0]


def _count_up_going(carry):
    state, _ = carry
    return state[0] < 3


def _count_up_body(carry):
    state, step = carry
    i, value = state
    return (i + 1, value + step), step


def count_up(x, step):
    return lax.while_loop(_count_up_going, _count_up_body, ((0, x), step))[0]


def _clipped_true(high, low, v):
    return jnp.minimum(v, high)


def _clipped_false(high, low, v):
    return jnp.maximum(v, low)


def clipped(x, low, high):
    return lax.cond(x.sum() > 0, _clipped_true, _clipped_false, high, low, x)


def _late_body(i, carry):
    value, scale = carry
    return value * scale, scale


def late(x):
    scale = 1.0

    scale = 2.0
    return lax.fori_loop(0, 1, _late_body, (x, scale))[0]
