"""Five bugs that people reported, in the code that had them: as it was, as people mended it, and as jaxfix does."""
