"""The command line: `app` reads the options, one module per command does the work."""
