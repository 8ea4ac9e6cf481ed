"""Makes the binding from the public header: make_binding.py COMPILER HEADER OUTPUT

The compiler's preprocessor reads the header as C does; what comes from the header's own folder is
declared to cffi word for word. The output is a Python module with the tables that cffi makes of it.
"""

import pathlib
import re
import subprocess
import sys


def declarations(compiler: str, header: pathlib.Path) -> str:
    """What octant.h and its parts declare, without what the system's headers do."""
    text = subprocess.run(
        [compiler, "-E", "-std=c11", str(header)], check=True, capture_output=True, text=True
    ).stdout
    folder, ours, kept = str(header.parent), False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "(.*)"', line)
        if marker:
            ours = marker[1].startswith(folder)
        elif ours and line.strip():
            kept.append(line)
    return "\n".join(kept).replace("_Bool", "bool")


def main() -> int:
    import cffi

    compiler, header, output = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    builder = cffi.FFI()
    builder.cdef(declarations(compiler, header))
    builder.set_source("octant._binding", None)
    builder.emit_python_code(output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
