"""Moving code: hoisting, variation, selection."""
