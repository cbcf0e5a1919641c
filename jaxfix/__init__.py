"""jaxfix finds lines that make JAX programs slow, rewrites them, and proves the rewrites by rerunning the program."""

__version__ = "0.2.0"
