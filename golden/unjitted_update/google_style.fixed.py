"""Two spaces, eighty columns."""

import functools

import jax
import jax.numpy as jnp
import optax


def loss_of(params, batch):
  return jnp.mean((batch @ params) ** 2)


@functools.partial(jax.jit, static_argnames=('optimizer', 'regularisation'))
def update_parameters_with_regularisation(
    params, state, optimizer, batch, regularisation='l2'
):
  gradients = jax.grad(loss_of)(params, batch)
  if regularisation == 'l2':
    gradients = gradients + 0.1 * params
  updates, state = optimizer.update(gradients, state, params)
  return optax.apply_updates(params, updates), state


def main(params, validation_parameters, batches):
  optimizer = optax.adam(1e-3)
  state = optimizer.init(params)
  for batch in batches:
    params, state = update_parameters_with_regularisation(
        params, state, optimizer, batch
    )
  second_moment_state = optimizer.init(validation_parameters)

  @jax.jit
  def train_step(validation_parameters, second_moment_state, batch):
    validation_gradients = jax.grad(loss_of)(validation_parameters, batch)
    validation_updates, second_moment_state = optimizer.update(
        validation_gradients, second_moment_state
    )
    validation_parameters = optax.apply_updates(
        validation_parameters, validation_updates
    )
    return validation_parameters, second_moment_state

  for batch in batches:
    validation_parameters, second_moment_state = train_step(
        validation_parameters, second_moment_state, batch
    )
  return params, validation_parameters


if __name__ == '__main__':
  main(jnp.ones(3), jnp.ones(3), [jnp.ones((2, 3))] * 4)
