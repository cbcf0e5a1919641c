"""Two spaces, eighty columns."""

import jax
import jax.numpy as jnp


@jax.jit  # want: undonated-state
def advance_all_of_the_particles(positions, velocities, forces):
  velocities = velocities + forces
  return positions + velocities, velocities


def main():
  positions = jnp.zeros((1000000, 3))
  velocities = jnp.zeros((1000000, 3))
  advance_with_a_name_of_its_own_that_is_long = jax.jit(lambda state: state * 0.9)  # want: undonated-state
  for _ in range(3):
    positions, velocities = advance_all_of_the_particles(
        positions, velocities, jnp.ones(3000000)
    )
  temperature = jnp.ones(3000000)
  for _ in range(3):
    temperature = advance_with_a_name_of_its_own_that_is_long(temperature)
  return positions, temperature


if __name__ == '__main__':
  main()
