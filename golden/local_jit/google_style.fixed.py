"""Two spaces and eighty columns."""

import functools

import jax
import jax.numpy as jnp


_evaluate = jax.jit(
    lambda inputs, parameters_of_the_model: jnp.mean(inputs * parameters_of_the_model, axis=-1)
)


@functools.partial(jax.jit, donate_argnums=0)
def _step_apply_update(
    values, gradients, regularization, learning_rate, momentum_of_step
):
  # Decays, too.
  decayed = values * regularization
  return decayed - learning_rate * gradients * momentum_of_step


class Trainer:
  """Trains."""

  def evaluate(self, parameters_of_the_model, batches_to_evaluate_on):
    results = []
    for batch in batches_to_evaluate_on:
      evaluate = _evaluate
      results.append(evaluate(batch, parameters_of_the_model))
    return results

  def step(self, parameters, learning_rate, regularization, momentum_of_step):
    return _step_apply_update(
        parameters,
        jnp.ones_like(parameters),
        regularization,
        learning_rate,
        momentum_of_step,
    )
