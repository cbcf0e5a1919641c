"""The summary of a file for the other files of its project."""
