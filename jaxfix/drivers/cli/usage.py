"""What Typer makes of `app`, spelled out. Written by `python -m jaxfix.docs`; edit `app`."""

HELP = """\
Usage: jaxfix [OPTIONS] COMMAND [ARGS]...

  Find lines that make JAX programs slow, rewrite them, and prove the rewrites
  by rerunning the program.

Options:
  --version   Print the version.
  -h, --help  Show this message and exit.

Commands:
  check     Say what is found; run nothing, and write nothing but a...
  apply     Fix what is found: what is safe, and what a rerun proves.
  trace     Run a program and say, by source line, what it compiled and why.
  gate      Run a program, and fail if it compiles a function more often...
  review    Decide fix by fix on a page in the browser; run and write...
  report    Write the fixes, their diffs and their evidence as one page...
  undo      Put back every byte that the last apply has changed.
  trust     Let `jaxfix apply` rerun the configured program unasked,...
  receipts  List what reruns have shown, and what of it has expired; run...
  doctor    Say what jaxfix works with here, what is wrong with it, and...
  explain   Print the page of a codemod.
  rules     List the codemods.
  lsp       Serve an editor: findings and quick-fixes, over stdin and...
"""
"""What `jaxfix --help` prints."""
CHECK: dict[str, tuple[str, str | tuple[str, ...]]] = {
    "--select": ("select", "many"),
    "--ignore": ("ignore", "many"),
    "--output-format": ("output_format", ("text", "json", "sarif", "github", "gitlab", "rdjson")),
    "--output-file": ("output_file", "one"),
    "--stdin-filename": ("stdin_filename", "one"),
    "--python": ("python", "one"),
    "--trace": ("trace", "one"),
    "--all": ("all_", "flag"),
    "--statistics": ("statistics", "flag"),
    "--baseline": ("baseline", "one"),
    "--update-baseline": ("update_baseline", "flag"),
    "--no-baseline": ("no_baseline", "flag"),
    "--no-cache": ("no_cache", "flag"),
    "--exit-zero": ("exit_zero", "flag"),
}
"""The options of `check`: the parameter, and whether it is a flag, one value, many, or one of these."""
