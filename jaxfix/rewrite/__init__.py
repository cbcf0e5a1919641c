"""The only room that knows LibCST: from a place in the source to text edits."""
