"""What driven cases are computed with: their values depend neither on the machine nor on what runs beside them."""

import importlib.metadata
import os
import platform

_XLA_THREADS = "2"
"""Of each pool: a callback that waits for the device hangs where there is one alone."""
_XLA_POOLS = ("NPROC", "PJRT_NPROC")
_OTHER_POOLS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_AVX, _DETERMINISTIC = "--xla_cpu_max_isa=AVX", "--xla_gpu_deterministic_ops=true"
_NO_FUSING_SINCE, _DETERMINISTIC_UNTIL = (0, 6), (0, 12)
"""Releases of jaxlib: one ends the process over a flag that it does not know."""


def settle() -> dict[str, str]:
    """Settles it in the environment, before jax is imported; returns what to say of it, by platform.

    What the user has settled stays.
    """
    for name in _OTHER_POOLS:
        os.environ.setdefault(name, "1")
    pinned = [os.environ.setdefault(name, _XLA_THREADS) for name in _XLA_POOLS]
    cpu = (_no_fused_arithmetic(), f"{pinned[0]} threads" if len(set(pinned)) == 1 else None)
    return {"cpu": ", ".join(filter(None, cpu)), "gpu": _deterministic() or ""}


def _no_fused_arithmetic() -> str | None:
    """Has XLA round after every operation, so that eager and jitted runs of one program have the same bits.

    A jitted program fuses multiplications with additions, which round once: up to 8 ulp in a few steps of RAdam,
    and none without them.
    """
    if platform.machine() in ("x86_64", "AMD64") and _release() >= _NO_FUSING_SINCE and _asked(_AVX):
        return "no fused multiply-add"
    return None


def _deterministic() -> str | None:
    """Has a GPU add in the same order each time; on other platforms the flag has no effect."""
    return "deterministic operations" if _release() <= _DETERMINISTIC_UNTIL and _asked(_DETERMINISTIC) else None


def _asked(flag: str) -> bool:
    """Adds it to the flags of XLA, unless they set it otherwise."""
    flags = os.environ.get("XLA_FLAGS", "")
    if flag.partition("=")[0] in flags:
        return flag in flags.split()
    os.environ["XLA_FLAGS"] = f"{flags} {flag}".strip()
    return True


def _release() -> tuple[int, ...]:
    return tuple(map(int, importlib.metadata.version("jaxlib").split(".")[:2]))
