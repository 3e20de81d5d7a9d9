#!/usr/bin/env python3
"""run-python-docs.py FILE.md...: runs the Python that documents show.

The blocks of a document are one program. A block's lines that end in `# ->` and
a text have to print, as an expression, what the text says. Blocks that need a
library of arrays that is not installed are left out.
"""

import re
import sys
import warnings


def blocks(path):
    """The first line's number and the text of each block of Python."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M):
        yield text.count("\n", 0, match.start(1)) + 1, match[1]


def check_line(path, number, line, names):
    expression, _, expected = line.partition("# ->")
    found = str(eval(expression, names))
    if found != expected.strip():
        sys.exit(f"{path}:{number}: expected {expected.strip()}, but got {found}")


OPTIONAL = ("jax", "torch")


def run(path):
    names = {"__name__": "__main__"}
    count = 0
    for first, block in blocks(path):
        # Lines keep their numbers.
        source = "\n" * (first - 1) + block
        try:
            exec(compile(source, path, "exec"), names)
        except ModuleNotFoundError as error:
            if error.name not in OPTIONAL:
                raise
            print(f"{path}:{first}: left out, {error.name} is not installed")
            continue
        for number, line in enumerate(block.splitlines(), first):
            if "# ->" in line:
                check_line(path, number, line, names)
                count += 1
    print(f"{path}: {count} results as shown")


def main():
    warnings.simplefilter("ignore")
    for path in sys.argv[1:]:
        run(path)


if __name__ == "__main__":
    main()
