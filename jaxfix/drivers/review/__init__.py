"""The review in a browser, and the report that is the same page without a server."""
