"""One command that judges whether SAFE and PROVEN hold, and writes it down."""
