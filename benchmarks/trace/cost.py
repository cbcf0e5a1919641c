"""Prints as JSON what compiling and calling cost, in processor time of the thread.

Traced, also what the probe spends on each compile.

`cost.py LEAVES... [--compiles N] [--calls N]`
"""

import argparse
import itertools
import json
import statistics
import time

import jax
import numpy as np

try:
    from jaxfix_probe import start  # of a traced process
except ImportError:
    start = None

HANDLED = []


def watch_the_handler():
    """Times what the probe does at each compile."""
    compiles = start.PROBE.compiles
    own = compiles._compiled

    def timed(*arguments):
        began = time.thread_time()
        own(*arguments)
        HANDLED.append(time.thread_time() - began)

    compiles._compiled = timed


def compile_s(leaves, compiles):
    """The median of what a compile takes; a loop of steps, as programs have it."""
    params = [np.ones(3, "float32") for _ in range(leaves)]
    step = jax.jit(lambda params, n: params[0] * n, static_argnums=1)
    HANDLED.clear()
    found = []
    for n in range(compiles):
        began = time.thread_time()
        step(params, n)
        found.append(time.thread_time() - began)
    return {"compile_s": statistics.median(found), "handler_s": statistics.median(HANDLED) if HANDLED else None}


def call_s(calls):
    """What one call of a compiled function takes, the least of several runs of 100.

    Once where its compile was in no loop, and once with the iteration of the loop of steps that it is called in.
    """
    step = jax.jit(lambda x: x * 2)
    batch = step(np.ones(3, "float32"))
    alone = min(hundred(step, batch) for _ in [None] * (calls // 100))
    step = jax.jit(lambda x: x * 3)
    looped = []
    for n in range(calls):
        if n % 100 == 1:
            looped.append(time.thread_time())
        batch = step(batch)
    return {
        "alone_s": alone,
        "in_its_loop_s": min(b - a for a, b in itertools.pairwise(looped)) / 100,
        "eager_s": min(hundred(lambda x: x + x, batch) for _ in [None] * (calls // 100)),
        "element_s": min(hundred(lambda x: x[1], batch) for _ in [None] * (calls // 100)),
        "read_s": min(hundred(lambda x: float(x), batch[0]) for _ in [None] * (calls // 100)),
        "put_s": min(hundred(lambda x: jax.device_put(x), np.ones(3, "float32")) for _ in [None] * (calls // 100)),
        "python_s": min(python_s() for _ in [None] * 5),
    }


def python_s():
    """Processor time of all threads for a second or so of Python, by the second."""
    began, cpu = time.perf_counter(), time.process_time()
    total = 0
    while time.perf_counter() - began < 1:
        for number in range(10_000):
            total += number
    return (time.process_time() - cpu) / (total / 49_995_000)


def hundred(step, batch):
    """Seconds of one of 100 calls."""
    began = time.thread_time()
    [step(batch) for _ in [None] * 100]
    return (time.thread_time() - began) / 100


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leaves", nargs="+", type=int)
    parser.add_argument("--compiles", type=int, default=15)
    parser.add_argument("--calls", type=int, default=3000)
    options = parser.parse_args()
    calls = call_s(options.calls)
    if start is not None:
        watch_the_handler()
    print(json.dumps({"calls": calls, "leaves": {n: compile_s(n, options.compiles) for n in options.leaves}}))


main()
