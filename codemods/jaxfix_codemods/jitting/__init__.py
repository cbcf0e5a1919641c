"""What it takes to put a function of the user's under `jit`: shared by the codemods that do."""
