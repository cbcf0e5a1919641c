"""What `jaxfix --help` prints. Written by `python -m jaxfix.docs`; edit `app`."""

HELP = """\
Usage: jaxfix [OPTIONS] COMMAND [ARGS]...

  Find lines that make JAX programs slow, rewrite them, and prove the rewrites
  by rerunning the program.

Options:
  --version   Print the version.
  -h, --help  Show this message and exit.

Commands:
  check     Report findings; run nothing, write nothing but a baseline.
  apply     Fix what is found: safe fixes, and fixes proven by a rerun.
  upgrade   Bring a project to another version of jax; say what it takes.
  prove     Run a program without and with a change; compare results.
  campaign  Prove the fixes of many repositories in one report.
  trace     Run a program and say, by source line, what it compiled and why.
  gate      Run a program; fail if it compiles a function more than allowed.
  review    Decide fix by fix on a page in the browser.
  report    Write fixes, diffs and evidence as one page; change no code.
  undo      Put back every byte that the last apply has changed.
  trust     Let `jaxfix apply` rerun the configured program unasked.
  receipts  List results of reruns, and which have expired; run nothing.
  verify    Compare receipts with this tree, file by file; run nothing.
  doctor    Report what works here, what does not, and how to fix it.
  explain   Print the page of a codemod.
  new       Begin a codemod: its files, each with what to write there.
  rules     List the codemods.
  lsp       Serve an editor over stdin and stdout: findings, quick-fixes.
  mcp       Serve a coding agent over the Model Context Protocol.
"""
