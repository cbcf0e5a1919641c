"""The pictures of the documentation, made of what jaxfix prints and serves."""
