"""OpenCL's loader and drivers: those of the system first, those of packages where it has none."""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator

SYSTEM_VENDORS = "/etc/OpenCL/vendors"
ADVICE = (
    "type: pip install 'octant[cpu]', which brings a driver for CPUs; a GPU's comes from its vendor"
)


def _opens(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def system_has_loader() -> bool:
    """Whether the system has an OpenCL loader; opens it."""
    return _opens("libOpenCL.so.1")


def open_loader(folder: pathlib.Path) -> None:
    """Opens libOpenCL, which liboctant then finds loaded: the system's, else the package's."""
    bundled = folder / "libOpenCL.so.1"
    if not system_has_loader() and bundled.exists():
        ctypes.CDLL(str(bundled))


def system_drivers() -> Iterator[str]:
    """The libraries that the loader would look for."""
    place = pathlib.Path(
        os.environ.get("OCL_ICD_VENDORS") or os.environ.get("OPENCL_VENDOR_PATH") or SYSTEM_VENDORS
    )
    files = sorted(place.glob("*.icd")) if place.is_dir() else [place]
    for file in files:
        if file.suffix != ".icd":
            yield str(file)
            continue
        try:
            name = file.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            continue
        if name:
            yield name


def packaged_driver() -> pathlib.Path | None:
    """Intel's runtime for CPUs, where its package is installed."""
    from importlib import metadata

    try:
        files = metadata.files("intel-opencl-rt") or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == "libintelocl.so":
            path = pathlib.Path(str(file.locate())).resolve()
            return path if path.exists() else None
    return None


def _vendors_folder(driver: pathlib.Path) -> str:
    """A folder with an .icd file that names the driver."""
    digest = hashlib.sha1(str(driver).encode()).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = pathlib.Path(cache, "octant", f"driver-{digest}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder / "cpu.icd", f"{driver}\n")
    except OSError:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="octant-driver-"))
        _write(folder / "cpu.icd", f"{driver}\n")
    return str(folder)


def _write(path: pathlib.Path, content: str) -> None:
    """Whole or not at all: other processes may read it at the same time."""
    if path.exists() and path.read_text(encoding="utf-8") == content:
        return
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    temporary.write_text(content, encoding="utf-8")
    temporary.replace(path)


def offer_packaged_driver() -> bool:
    """Leads the loader to a packaged driver where no other one can be opened."""
    if not sys.platform.startswith("linux") or any(_opens(name) for name in system_drivers()):
        return False
    driver = packaged_driver()
    if driver is None:
        return False
    os.environ["OCL_ICD_VENDORS"] = _vendors_folder(driver)
    return True
