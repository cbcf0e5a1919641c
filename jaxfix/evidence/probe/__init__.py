"""Watches what JAX does inside the user's interpreter. Standard library and jax alone: this folder travels.

It lies on the PYTHONPATH of a run as `jaxfix_probe`, beside a `sitecustomize.py` that starts it with every Python of
the run, before the program. It waits for `jax` without importing it, counts and explains what is compiled, digests
what named functions return, and writes one JSON file per process at its end. The environment variable `JAXFIX_PROBE`
names the file with the settings.

    settings   what to watch, and where to write
    record     what happened in one process
    watch      starts and ends; joins the others
    arrival    waits for jax
    sources    which sources run, and where imports find them
    reads      which files are read
    compiles   counts compiles and says why
    program_size how large a compiled program is
    noted      which data became constants of a program
    outward    what waiting jax functions hold
    advice     what a program does that is expensive
    branches   conditionals of which both branches run
    lines      lines of files as the user knows them
    time_spent where the time goes; joins the next four
    spending   by kind and by line
    dispatches programs that run one by one
    transfers  what moves between host and device, and waiting
    sampler    looks where the main thread is
    causes     why a program was not found in a cache
    signatures what a program is compiled for
    calls      calls of the observed functions
    called     which functions are called at all, on Python 3.11
    steps      steps of a training loop
    tracks     records of steps
    loops      loops of a source file
    iterations sees each iteration of a loop
    marked     calls of a function that is the step
    notebook   runs the cells of a notebook
    cells      the Python in the cells of a notebook
    shadow_call calls the original beside the rewritten function
    originals  functions as the original text has them
    samples    arguments, kept for later calls
    hiding     what objects that are trees hold beside their leaves
    perturb    other data of the same types
    pairing    who calls both functions
    trial      all the calls of both that one call of the program leads to
    sides      both functions of one call
    parameters whether callers can go on to call a rewritten function
    alter      something else in the place of a value
    hints      what sources call and count by, and what may be None
    limits     numbers at which a program may do something else
    kinds      arguments of other kinds
    hooks      subclasses as a user might write them
    contexts   transformations and settings that a caller may put around a call
    beyond     calls that the program does not make
    followed   what the program does with what rewritten functions return
    afterwards calls and updates of what has been returned
    supplied   callables and lists of the caller's: that raise, that are read item by item
    between    what changes while a call uses it
    sharing    which parts of two values are one and the same
    surroundings variables of the environment that are read
    caches     what only the rewritten function remembers
    rebinding  what may be rebound between two calls
    effects    what a function reaches, and what it does to the world
    bare       is in the place of a `jit` that a fix has added
    process    what a program has set for its whole process
    programs   whether an original and its rewritten function are the same program to jax
    jaxprs     the numbers of values: equal for what is computed in the same way
    sizes      arrays of any size
    razor      whether a jitted step differs by more than rounding
    growing    numbers that grow from call to call, and what they are in a longer run
    unlike     arguments of the host on which a jitted step is not what the plain one is
    widths     whether 32 bits hold the integers that Python computes
    digits     whether what agrees in double precision keeps its digits in single precision
    widen      programs in double precision, whatever dtypes their code asks for
    scratch    files that are written by calls too many
    work       how much a function computes
    pace       how long its warm calls take
    keys       the key checker of jax
    messages   what is logged and warned of
    left       what a program leaves behind
    drawn      how far a program has moved shared generators of random numbers
    clocks     which clocks a function reads
    suspended  where a generator stands, and what it still needs
    contents   what can be changed in place
    state      what a function changes beside what it returns
    stores     what sources assign to again
    untried    what was not tried
    fields     what an instance holds itself
    frozen     other options in objects that nobody can assign to
    values     digests of values
    fingerprint digests of arrays on their device
    memory     what is resident
    devices    whether a program can tell where arrays are
    progress   how far the run is
    drive      drives optimizers and solvers
    settled    what driven cases are computed with
    factories  the public factories of a package, and arguments for them
    problem    what optimizers and solvers are given to solve
    solvers    protocols of optimizers and solvers
    children   processes that each do one part
"""
