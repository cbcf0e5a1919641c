"""Syntax trees: nodes, bindings, captures."""
