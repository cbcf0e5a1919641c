"""What a finding explains is told once, also where that is silenced."""

import jax


def silenced(signal, gain):
    def body(state, x):
        return state + gain * x, x

    return jax.lax.scan(body, signal, signal)  # jaxfix: ignore[local-loop-function]  # want: remat-scan (no fix)


def filtered(body, signal):
    return jax.lax.scan(body, signal, signal)  # want: fresh-function (no fix)  # want: remat-scan (no fix)
