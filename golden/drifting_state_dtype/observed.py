"""States that a run saw come back as another type."""

from library import init, update


def train(params, gradients):
    state = init(params)
    for gradient in gradients:
        params, state = update(params, state, gradient)  # want: drifting-state-dtype (no fix): first value
    return params


def twice(step, state):
    state = step(state)
    return step(state)  # want: drifting-state-dtype (no fix)
