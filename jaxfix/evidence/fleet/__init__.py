"""Clusters that run many jobs at once; alone in knowing the engine that runs them."""
