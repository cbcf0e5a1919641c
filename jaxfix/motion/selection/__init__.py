"""`lax.cond` as a choice between values."""
