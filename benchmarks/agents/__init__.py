"""A conversation of an agent with `jaxfix mcp`: `python -m benchmarks.agents` writes docs/evidence/agents.md."""
