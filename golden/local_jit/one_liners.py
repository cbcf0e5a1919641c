"""Functions of one line each that follow each other closely, and lambdas over several lines that tabs indent."""
import jax
import jax.numpy as jnp


def first(x): return jax.jit(lambda v: v * 2)(x)  # want: local-jit
def second(x): return jax.jit(lambda v: v + 1)(x)  # want: local-jit
def third(x): return x


def relu(x):
	act = jax.jit(lambda v: jnp.maximum(  # want: local-jit
		v,  # value
		0,  # floor
	))
	return act(x)


for i in range(10):
	print(first(1.0), second(2.0), third(3), relu(jnp.ones(3)))
