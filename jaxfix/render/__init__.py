"""The room that tells: a `Report` becomes text, a diff or JSON."""
