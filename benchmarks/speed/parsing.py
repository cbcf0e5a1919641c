"""`ast.parse` of every Python file of a tree, in one process: what a check is compared with. Run as a script."""

import ast
import os
import sys
import warnings


def main(tree: str) -> None:
    warnings.simplefilter("ignore")
    for folder, _, names in os.walk(tree):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as opened:
                    ast.parse(opened.read())


if __name__ == "__main__":
    main(sys.argv[1])
