"""The program ``octant``, which comes with the package."""

from __future__ import annotations

import os
import sys

from . import _drivers
from ._library import FOLDER


def main() -> int:
    """Becomes the program, with an OpenCL loader and a driver that it finds."""
    if not _drivers.system_has_loader():
        paths = [str(FOLDER / "loader"), os.environ.get("LD_LIBRARY_PATH", "")]
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, paths))
    _drivers.offer_packaged_driver()
    binary = FOLDER / "bin" / "octant"
    os.execv(binary, [sys.argv[0], *sys.argv[1:]])
    return 1


if __name__ == "__main__":
    sys.exit(main())
