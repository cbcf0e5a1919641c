"""Where values come from and where they go, within and across functions."""
