"""What newer versions of libraries around JAX do with the same text: found by running their functions in both."""

from jaxfix.library.changes.row import Meaning

_NOISE = "draws other noise from the same seed"
_COMPARE = "no option restores it: compare curves"

MEANINGS = (
    *(
        Meaning(
            f"optax.{last}",
            "0.2.4",
            "measures the error of a gradient against the new average, where it was the previous one",
            _COMPARE,
        )
        for last in ("adabelief", "scale_by_belief")
    ),
    *(
        Meaning(
            f"optax.{last}",
            "0.2.4",
            "takes the first gradient as the previous one, where that was zero",
            _COMPARE,
        )
        for last in ("optimistic_gradient_descent", "scale_by_optimistic_gradient")
    ),
    *(Meaning(f"optax.{last}", "0.2.3", _NOISE, _COMPARE) for last in ("noisy_sgd", "add_noise")),
    Meaning(
        "optax.contrib.prodigy",
        "0.1.9",
        "has the learning rate 1, where it was 0.1",
        "give `learning_rate=0.1` to keep the old behaviour",
        unless="learning_rate",
        is_first=True,
    ),
    Meaning(
        "flax.nnx.Dropout", "0.11.2", "draws other masks from the same seed", "no option restores it: compare curves"
    ),
    *(
        Meaning(
            f"numpyro.diagnostics.{last}",
            "0.16.0",
            "estimates with a bias",
            "give `bias=False` to keep the old behaviour",
            unless="bias",
        )
        for last in ("autocorrelation", "autocovariance", "effective_sample_size")
    ),
    Meaning(
        "orbax.checkpoint.PyTreeCheckpointHandler",
        "0.4.4",
        "writes one OCDBT store for all parameters, where each had a folder",
        "give `use_ocdbt=False` where something else reads the files",
        unless="use_ocdbt",
    ),
)
