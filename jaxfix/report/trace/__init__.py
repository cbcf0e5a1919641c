"""The compiles of a traced run, where and why."""
