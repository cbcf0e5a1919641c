# Layers of the file itself, one of them made with two thousand: worth a donation.
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn
from flax.training import train_state


class Dense(nn.Module):
    size: int
    out: int

    def setup(self):
        self.kernel = self.param("kernel", nn.initializers.ones, (self.size, self.out))

    def __call__(self, x):
        return x @ self.kernel


class Net(nn.Module):
    depth: int = 4
    width: int = 64

    @nn.compact
    def __call__(self, x):
        x = Dense(x.shape[-1], self.width)(x)
        for _ in range(self.depth):
            x = nn.tanh(Dense(self.width, self.width)(x))
        return Dense(self.width, 1)(x)


net = Net(depth=3, width=2000)
params = net.init(jax.random.PRNGKey(0), jnp.ones((1, 3)))
state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))


@jax.jit  # want: undonated-state
def train_step(state, batch):
    loss, slopes = jax.value_and_grad(lambda p: jnp.mean(net.apply(p, batch) ** 2))(state.params)
    return state.apply_gradients(grads=slopes), loss


for number in range(100):
    state, loss = train_step(state, jnp.ones((8, 3)))
print(loss)
