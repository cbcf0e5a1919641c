"""Functions that solvers and terms of equations find their programs by."""

import diffrax
import optimistix as optx


def still(ys, x):
    for y in ys:
        x = x + optx.root_find(lambda u, args: u**3 - args, optx.Newton(1e-3, 1e-3), x, args=y).value  # want: local-jit
    return x


def kept(ys, x, rate: float):
    for y in ys:
        term = diffrax.ODETerm(lambda t, y, args: -rate * y)  # want: local-jit
        x = x + diffrax.diffeqsolve(term, diffrax.Tsit5(), 0, 1, 0.1, y).ys
    return x


def captured(ys, x):
    for y in ys:

        def residual(u, args):
            return u**3 - y

        x = optx.root_find(residual, optx.Newton(1e-3, 1e-3), x).value  # want: local-jit (no fix): it takes `y`
    return x


def _solve(y, rate):
    term = diffrax.ODETerm(lambda t, y, args: -rate * y)  # want: local-jit (no fix): it takes `rate`
    return diffrax.diffeqsolve(term, diffrax.Tsit5(), 0, 1, 0.1, y)


def solve_all(ys):
    return [_solve(y, 0.1) for y in ys]


def decay(t, y, args):
    return -args * y


def the_same(ys, x):
    for y in ys:
        term = diffrax.ODETerm(decay)
        x = x + diffrax.diffeqsolve(term, diffrax.Tsit5(), 0, 1, 0.1, y, args=0.1).ys
        x = x + optx.root_find(decay, optx.Newton(1e-3, 1e-3), x).value
    return x
