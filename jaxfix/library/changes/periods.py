"""What an environment of a version of jax needs: which Python, which other packages, which switches set alike."""

from collections.abc import Mapping

from jaxfix.library.changes.row import Version, version
from jaxfix.source.frozen import frozen


@frozen
class Wheels:
    """The versions of jaxlib, from one to another, that the registry has for a Python; empty where they go on."""

    python: str
    first: str
    last: str


@frozen
class Held:
    """A package whose newer versions a jax before `until` does not run with."""

    package: str
    below: str
    until: str


@frozen
class Switch:
    """A variable that gives both versions what the older one did, where jax has changed a default."""

    name: str
    value: str
    since: str


KNOWN = (0, 12)
_BESIDE: Mapping[Version, Mapping[str, str]] = {
    (0, 4, 13): {"optax": "0.1.5", "flax": "0.6.11", "numpyro": "0.12.1", "orbax": "0.2.6"},
    (0, 4, 20): {"optax": "0.1.8", "flax": "0.7.5", "numpyro": "0.13.2", "orbax": "0.4.4"},
    (0, 4, 25): {"optax": "0.2.1", "flax": "0.8.1", "numpyro": "0.13.2", "orbax": "0.5.3"},
    (0, 4, 30): {"optax": "0.2.3", "flax": "0.8.5", "numpyro": "0.15.1", "orbax": "0.5.20"},
    (0, 4, 36): {"optax": "0.2.4", "flax": "0.10.2", "numpyro": "0.16.1", "orbax": "0.10.2"},
    (0, 5, 3): {"optax": "0.2.4", "flax": "0.10.4", "numpyro": "0.17.0", "orbax": "0.11.10"},
    (0, 6, 2): {"optax": "0.2.5", "flax": "0.10.7", "numpyro": "0.18.0", "orbax": "0.11.16"},
    (0, 7, 2): {"optax": "0.2.6", "flax": "0.11.2", "numpyro": "0.19.0", "orbax": "0.11.25"},
}
"""By a jax, the newest versions of libraries that pip installs with it."""
"""The newest jax whose changes the table has."""
WHEELS = (
    Wheels("3.8", "0.4.13", "0.4.13"),
    Wheels("3.9", "0.4.13", "0.4.30"),
    Wheels("3.10", "0.4.13", "0.6.2"),
    Wheels("3.11", "0.4.13", "0.10.2"),
    Wheels("3.12", "0.4.18", ""),
    Wheels("3.13", "0.4.34", ""),
    Wheels("3.14", "0.7.1", ""),
)
HELD = (
    Held("numpy", "2", "0.4.26"),
    Held("scipy", "1.13", "0.4.26"),
    Held("ml-dtypes", "0.5", "0.4.34"),
)
SWITCHES = (
    Switch("JAX_THREEFRY_PARTITIONABLE", "0", "0.5.0"),
    Switch("JAX_USE_DIRECT_LINEARIZE", "0", "0.7.0"),
)
DISTRIBUTIONS: Mapping[str, str] = {
    **{
        name: name
        for name in (
            *("blackjax", "chex", "diffrax", "distrax", "einops", "equinox", "flax", "jaxopt", "jaxtyping"),
            *("lineax", "matplotlib", "numpy", "numpyro", "optax", "optimistix", "pandas", "rlax", "scipy", "tqdm"),
        )
    },
    **{"absl": "absl-py", "haiku": "dm-haiku", "orbax": "orbax-checkpoint", "PIL": "pillow", "sklearn": "scikit-learn"},
    "yaml": "pyyaml",
}
"""What is installed for an import, where a project does not say what it requires."""


def _whole(jax: Version) -> Version:
    """0.5 is 0.5.0."""
    return jax + (0,) * (3 - len(jax))


def pythons(jax: Version) -> tuple[str, ...]:
    """The Pythons for which the registry has a jaxlib of that version, the newest first."""
    found = (
        w.python for w in WHEELS if version(w.first) <= _whole(jax) and (not w.last or _whole(jax) <= version(w.last))
    )
    return tuple(found)[::-1]


def held(jax: Version) -> tuple[str, ...]:
    """The requirements that keep packages at versions which that jax runs with."""
    return tuple(f"{each.package}<{each.below}" for each in HELD if _whole(jax) < version(each.until))


def beside(jax: Version) -> Mapping[str, Version]:
    """The versions of libraries that code of the time of that jax cannot be newer than; empty after the last known."""
    known = next((jaxes for jaxes in sorted(_BESIDE) if jax <= jaxes), None)
    return {} if known is None else {name: version(text) for name, text in _BESIDE[known].items()}


def alike(jax: Version | None) -> Mapping[str, str]:
    """The variables that are set for a program with that jax, and with a newer one; None for one that is not known."""
    return {each.name: each.value for each in SWITCHES if jax is None or _whole(jax) < version(each.since)}
