"""The room that decides: which codemods run, which fixes are taken, which patches may stand. Pure."""
