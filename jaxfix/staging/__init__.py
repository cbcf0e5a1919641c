"""What is jitted, and where code runs: eagerly or under a trace."""
