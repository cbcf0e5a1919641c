"""The name of the function that maps is one of the file already, which means something else."""

import jax

rows = jax.pmap(abs)  # want: legacy-parallelism


def map_rows(function, table):
    return [function(row) for row in table]
