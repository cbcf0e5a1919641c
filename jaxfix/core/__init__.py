"""The nouns: text, model, findings, fixes and reports. Standard library only, no input or output."""
