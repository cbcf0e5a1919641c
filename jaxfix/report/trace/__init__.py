"""What a traced run compiled, where and why."""
