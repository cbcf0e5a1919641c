"""How far the analyses look: every limit there is, and why. What lies beyond is unknown to every caller."""

MOST_QUESTIONS = 10_000
"""Questions that one answer may depend on; in whole libraries it is hundreds."""
MOST_NESTED = 16
"""Evaluations inside one another: deeper ones wait for their turn, so that no chain overflows the stack."""
MOST_PARTS = 6
"""Parts of parts, as in `state[0].inner["count"]`: a state that holds itself has parts without end."""
MOST_BINDINGS = 60
"""Bindings of one variable: each read of it looks at all of them."""
MOST_HOPS = 12
"""Files that pass on one name: a file that imports it from itself makes the name longer without end."""
MOST_CALLS = 4
"""Calls between eager work and the loop that repeats it: each way from one to the other is a finding."""
MOST_READERS = 8
"""Files that read an attribute; of a method of a name that more of them read it is unknown how it runs."""
