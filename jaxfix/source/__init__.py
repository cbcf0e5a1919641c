"""Sources as bytes and text: edits, spans, tokens, notebooks. Standard library only, no input or output."""
