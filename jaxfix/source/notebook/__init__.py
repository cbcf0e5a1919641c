"""Notebooks as one Python text, and back."""
