"""The language server: what is found, under the cursor of an editor, with its cure. Runs nothing unless it is asked."""
