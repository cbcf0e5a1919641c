"""Side effects, purity, invariance, escape, liveness."""
