"""Functions of one line each that follow each other closely, and lambdas over several lines that tabs indent."""
import jax
import jax.numpy as jnp


_first_jitted = jax.jit(lambda v: v * 2)


def first(x): return _first_jitted(x)


_second_jitted = jax.jit(lambda v: v + 1)


def second(x): return _second_jitted(x)
def third(x): return x


_relu_act = jax.jit(lambda v: jnp.maximum(
	v,  # value
	0,  # floor
))


def relu(x):
	act = _relu_act
	return act(x)


for i in range(10):
	print(first(1.0), second(2.0), third(3), relu(jnp.ones(3)))
