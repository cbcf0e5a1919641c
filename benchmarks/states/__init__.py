"""Controlled programs, each of which compiles its step twice for one cause."""
