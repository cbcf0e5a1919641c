"""Two spaces and eighty columns."""

import functools

import jax
import jax.numpy as jnp


class Trainer:
  """Trains."""

  def evaluate(self, parameters_of_the_model, batches_to_evaluate_on):
    results = []
    for batch in batches_to_evaluate_on:
      evaluate = jax.jit(  # want: local-jit
          lambda inputs: jnp.mean(inputs * parameters_of_the_model, axis=-1)
      )
      results.append(evaluate(batch))
    return results

  def step(self, parameters, learning_rate, regularization, momentum_of_step):
    @functools.partial(jax.jit, donate_argnums=0)  # want: local-jit
    def apply_update(values, gradients):
      # Decays, too.
      decayed = values * regularization
      return decayed - learning_rate * gradients * momentum_of_step

    return apply_update(parameters, jnp.ones_like(parameters))
