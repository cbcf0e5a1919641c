"""Fix by fix with a person at the terminal: `review` starts the `loop`."""
