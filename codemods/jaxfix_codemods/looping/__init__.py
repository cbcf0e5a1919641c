"""What loops and comprehensions of traced code go over, and what one trace for all of their iterations would change."""
