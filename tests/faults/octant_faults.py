"""Runs a command of the binary with one call failing, and judges what it left behind."""

import array
import collections
import ctypes
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import time
import zlib
from typing import NamedTuple

# Kinds whose calls change files: there the process is also killed, and the disk stays full.
FILE_KINDS = ["open", "write", "fsync", "lock", "rename", "unlink", "link", "mkdir"]
KINDS = ["malloc", "read", "print", "stat", "mmap", "thread", "spawn", "socket", "cl", *FILE_KINDS]
MODES = {"write": ["fail", "stay", "kill", "cut"], "malloc": ["fail", "stay"],
         "cl": ["fail", "stay", "kill"], "hdf5": ["fail"], "print": ["fail", "stay"],
         **{kind: ["fail", "stay", "kill"] for kind in FILE_KINDS if kind != "write"}}
# More calls than this of a kind: one for each chain of callers, up to so many.
MANY = 600
TIMEOUT = 60


class Fault(NamedTuple):
    kind: str
    k: int
    mode: str

    def __str__(self):
        return f"{self.kind}:{self.k}:{self.mode}"


class Result(NamedTuple):
    code: object  # None: it did not end in time
    out: str
    err: str
    log: dict


class Broken(Exception):
    """A promise that was not kept, in a sentence."""


class TinyDisk:
    """A file system of so many KiB, where the machine lets us have one."""

    def __init__(self, folder, kib):
        self.folder, self.kib = folder, kib

    def __enter__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.kib}k", "tmpfs", self.folder],
                       check=True, capture_output=True)
        return self.folder

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self.folder], check=True, capture_output=True)


class Machine:
    """The binary, the library that makes calls fail, and a place for files."""

    def __init__(self, binary, library, root, timeout=TIMEOUT):
        self.binary, self.library = str(binary), str(library)
        self.root = pathlib.Path(root)
        self.timeout = timeout
        self.cache = self.root / "cache"
        # What was compiled and tested before serves here, but what is killed here may not spoil it.
        warm = pathlib.Path(os.environ.get("XDG_CACHE_HOME", "")) / "octant"
        if "XDG_CACHE_HOME" in os.environ and warm.is_dir():
            shutil.copytree(warm, self.cache / "octant")
        self.cache.mkdir(parents=True, exist_ok=True)
        try:
            with TinyDisk(self.root / "disk", 64):
                self.has_disks = True
        except (OSError, subprocess.CalledProcessError):
            self.has_disks = False

    def environment(self, folder, fault=None, sites=False):
        """A cache in the folder of the job is used instead of the one that all share."""
        own = folder / "cache"
        given = {**os.environ, "XDG_CACHE_HOME": str(own if own.exists() else self.cache),
                 "TMPDIR": str(folder / "tmp"), "OCTANT_VIEW_TOKEN": "0" * 32}
        given.setdefault("POCL_CACHE_DIR", str(self.root / "pocl"))
        if fault:
            given.update(LD_PRELOAD=self.library, OCTANT_FAULT=str(fault),
                         OCTANT_FAULT_LOG=str(folder / "tmp" / "fault.log"))
        if sites:
            given["OCTANT_FAULT_SITES"] = str(folder / "tmp" / "fault.sites")
        return given

    def start(self, arguments, folder, fault=None, sites=False):
        (folder / "tmp").mkdir(exist_ok=True)
        return subprocess.Popen([self.binary, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                errors="replace", env=self.environment(folder, fault, sites))

    def finish(self, process, folder):
        try:
            out, err = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            return Result(None, out, err, {})
        return Result(process.returncode, out, err, read_log(folder / "tmp" / "fault.log"))

    def run(self, arguments, folder, fault=None, sites=False):
        return self.finish(self.start(arguments, folder, fault, sites), folder)

    def good(self, arguments, folder):
        done = self.run(arguments, folder)
        if done.code != 0:
            raise Broken(f"without a fault `octant {' '.join(arguments)}` ends with {done.code}: "
                         f"{done.err.strip()}")
        return done


def read_log(path):
    """Calls by kind, and by name where no kind has it; 'struck' and 'objects'."""
    counts = collections.Counter()
    if path.exists():
        for line in path.read_text().splitlines():
            kind, rest = line.split(" ", 1)
            name, number = rest.rsplit(" ", 1)
            for key in {kind, name if name not in KINDS else kind}:
                counts[key] += int(number)
        path.unlink()
    return counts


# What a file under its final name must be.

class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def xxh3(data):
    """The hash by libxxhash itself; a bundle's binary has it beside it."""
    if not xxh3.library:
        try:
            xxh3.library = ctypes.CDLL("libxxhash.so.0")
        except OSError:
            xxh3.library = ctypes.CDLL(str(pathlib.Path(__file__).parent / "../lib/libxxhash.so.0"))
        xxh3.library.XXH3_128bits.restype = Hash128
        xxh3.library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    value = xxh3.library.XXH3_128bits(data, len(data))
    return f"{value.high:016x}{value.low:016x}"


xxh3.library = None


SEAL = re.compile(rb"octant (\w+) (\d+)\nxxh3 ([0-9a-f]{32})\nbytes (\d+)\n"
                  rb"(?:run ([0-9a-f]{32})\n)?\0")


def whole_hdf5(data):
    seal = SEAL.match(data)
    if not seal or len(data) - 512 != int(seal[4]):
        return False
    return xxh3(seal[1] + bytes([int(seal[2])]) + (seal[5] or b"") +
                data[512:]).encode() == seal[3]


def whole_plain_hdf5(data):
    """Without a seal: the superblock, of version 0, says where the file ends."""
    return data[:9] == b"\x89HDF\r\n\x1a\n\0" and struct.unpack_from("<Q", data, 40)[0] == len(data)


def whole_tipsy(data):
    n, _, gas, dark, star = struct.unpack_from(">5i", data, 8)
    return n == gas + dark + star and len(data) == 32 + 48 * gas + 36 * dark + 44 * star


def whole_csv(data):
    lines = data.split(b"\n")
    rows = [line for line in lines[:-1] if not line.startswith(b"# ")]
    return lines[-1] == b"" and len({row.count(b",") for row in rows}) == 1


def whole_png(data):
    at, names = 8, []
    while at + 12 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if struct.unpack_from(">I", data, at + 8 + size)[0] != zlib.crc32(
                data[at + 4:at + 8 + size]):
            return False
        names.append(name)
        at += 12 + size
    return data[:8] == b"\x89PNG\r\n\x1a\n" and at == len(data) and names[-1] == b"IEND"


def whole_mp4(data):
    at, names = 0, []
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if size < 8:
            return False
        names.append(name)
        at += size
    return at == len(data) and b"moov" in names and b"mdat" in names


def whole_json(data):
    try:
        json.loads(data)
    except ValueError:
        return False
    return True


def ends_in(end):
    return lambda data: data.rstrip().endswith(end)


WHOLE = {".hdf5": whole_hdf5, ".h5": whole_plain_hdf5, ".tipsy": whole_tipsy, ".csv": whole_csv,
         ".png": whole_png,
         ".mp4": whole_mp4, ".html": ends_in(b"</html>"), ".svg": ends_in(b"</svg>"),
         ".pdf": ends_in(b"%%EOF"), ".json": whole_json}


def contents(folder):
    """The files of a job's folder by their names, but for those of the harness and a lock's file,
    which may stay: the lock itself goes with its process."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and name.split("/")[0] not in ("tmp", "cache") and \
                path.name != ".octant-lock":
            found[name] = path.read_bytes()
    return found


def nameless(files):
    """The files with the random names of runs numbered, so that they can be compared; whether they
    belong together remains to be seen."""
    names = {}
    for data in files.values():
        for name in re.findall(rb"\brun ([0-9a-f]{32})\b", data[:4096]):
            names.setdefault(name, b"%032d" % len(names))
    found = {}
    for file, data in files.items():
        if SEAL.match(data):
            data = data[:data.index(b"xxh3 ")] + b"xxh3" + data[data.index(b"\nbytes "):]
        for name, number in names.items():
            data = data.replace(name, number)
        found[file] = b"" if file == "trace.json" else data  # a clock's work
    return found


def without_previous(files):
    """What was written twice has also the one before it."""
    return {name: data for name, data in files.items() if not name.endswith(".prev")}


def digest(files):
    total = hashlib.sha256()
    for name, data in files.items():
        total.update(f"{name}\0{len(data)}\0".encode() + data)
    return total.hexdigest()


# Numbers that a clock has made.
CLOCK_KEYS = ["wall_s", "steps_per_s", "start_s", "step_s", "row_s", "snapshot_s", "ms_step",
              "interactions_per_s", "ratio"]


def without_chance(text):
    text = re.sub(r'"(%s)": [^,}\]]+' % "|".join(CLOCK_KEYS), r'"\1": 0', text)
    text = re.sub(r'"(phases|outputs|timed)": \{[^}]*\}', r'"\1": {}', text)
    return re.sub(r'\b[0-9a-f]{32}\b', "", text)


class Job:
    """A command in a folder: what is there before, and what a run without faults leaves.

    before     commands that fill the folder, beside `files`
    mends      how what a fault has left is made good: again, force (with --force), or run (resumed
               where there is a checkpoint)
    live       files that grow while the command runs; their last line may be broken by a kill
    only       kinds that are worth the time; all where it is None
    most       at most so many faults of a kind and mode
    cold       starts with no cache of its own
    """

    def __init__(self, name, arguments, files, before=(), mends="again", live=(), only=None,
                 most=None, compare_output=True, needs=None, cold=False):
        self.name, self.arguments, self.files = name, arguments, files
        self.before, self.mends, self.live, self.only = before, mends, live, only
        self.most, self.compare_output, self.needs, self.cold = most, compare_output, needs, cold
        self.command = arguments[0]
        self.mended = {}  # digests of folders that have been mended: nothing new to learn

    def prepare(self, machine):
        """Fills the folder, and runs the command once as it should be."""
        self.machine = machine
        self.home = machine.root / self.name
        if self.home.exists():
            shutil.rmtree(self.home)
        self.start = self.home / "start"
        self.start.mkdir(parents=True)
        (self.start / "notes.txt").write_text("somebody's own file\n")
        for name, text in self.files.items():
            (self.start / name).parent.mkdir(parents=True, exist_ok=True)
            (self.start / name).write_text(text)
        for command in self.before:
            machine.good(command, self.start)
        if self.cold:
            (self.start / "cache").mkdir()
        self.given = contents(self.start)
        folder = self.copy("good")
        done = self.go(folder)
        if done.code != 0:
            raise Broken(f"{self.name}: without a fault it ends with {done.code}: {done.err}")
        self.good_files, self.good_out = contents(folder), self.output(done)

    def copy(self, name):
        folder = self.home / name
        if folder.exists():
            shutil.rmtree(folder)
        shutil.copytree(self.start, folder, symlinks=True)
        return folder

    def go(self, folder, fault=None, sites=False):
        return self.machine.run(self.arguments, folder, fault, sites)

    def output(self, done):
        return without_chance(done.out) if self.compare_output else ""

    # Which faults there are.

    def faults(self, kinds=None, most=None):
        """All faults of the job, or at most so many of a kind and mode, in an order that is always
        the same."""
        counts = self.go(self.copy("count"), Fault("cl", 0, "fail")).log
        most = min(most or MANY, self.most or MANY)
        chosen = []
        for kind in kinds or self.only or [*KINDS, "hdf5"]:
            n = counts[kind]
            if n == 0:
                continue
            ks = self.calls(kind, n, most)
            for mode in MODES.get(kind, ["fail"]):
                # What stays or kills says little new from one call of these to the next.
                rare = kind in ("malloc", "cl", "hdf5") and (mode != "fail" or kind == "hdf5")
                chosen += [Fault(kind, k, mode) for k in thin(ks, min(most, 40) if rare else most)]
        if self.machine.has_disks and not self.only and (not kinds or "disk" in kinds):
            chosen += [Fault("disk", kib, "full") for kib in thin(self.sizes(), min(most, 60))]
        return chosen

    def sizes(self):
        """KiB of disks that hold what is there before, and less than there is at the end."""
        needs = [sum((len(data) + 4095) // 4096 * 4 for data in files.values())
                 for files in (self.given, self.good_files)]
        return list(range(needs[0] + 4, needs[1], 4))

    def calls(self, kind, n, most):
        """Which calls of a kind are to fail: all, or where there are many those that differ."""
        if n <= MANY or kind == "hdf5" or most < MANY:
            return list(range(1, n + 1))
        folder = self.copy("sites")
        self.go(folder, Fault(kind, 0, "fail"), sites=True)
        first = {}
        for k, site in enumerate(array.array("I", (folder / "tmp/fault.sites").read_bytes()), 1):
            first.setdefault(site, k)
        return sorted(first.values())

    # What must be so afterwards.

    def attempt(self, fault, worker=0):
        """Runs the command with the fault; a word for what came of it, or Broken."""
        folder = self.copy(f"work-{worker}")
        if fault.kind == "disk":
            done = self.go_full(folder, fault, worker)
        else:
            done = self.go(folder, fault)
        word = self.judge(done, fault)
        files = contents(folder)
        self.check_files(files, word)
        if word in ("survived", "missed"):
            if "the run before is not removed" in done.err:
                files = {name: data for name, data in files.items() if "/.octant-" not in name}
            self.check_same(files, self.good_files, "it ended well")
            if self.output(done) != self.good_out:
                raise Broken(f"it ended well, but printed something else:\n{done.out}")
        else:
            self.mend(folder, files)
        return word

    def go_full(self, folder, fault, worker):
        """Runs the command on a disk that is too small, and brings back what is there then."""
        with TinyDisk(self.home / f"disk-{worker}", fault.k) as disk:
            shutil.copytree(folder, disk, dirs_exist_ok=True)
            done = self.go(disk)
            shutil.rmtree(folder)
            shutil.copytree(disk, folder)
        return done._replace(log={"struck": 1})

    def judge(self, done, fault):
        if done.code is None:
            raise Broken(f"it had not ended after {self.machine.timeout} s")
        if re.search(r"Sanitizer|runtime error:|internal|terminate called|assert", done.err):
            raise Broken(f"it said: {done.err.strip()}")
        if done.code == -9 and fault.mode in ("kill", "cut"):
            return "killed"
        # HDF5 does not outlive a failed allocation of its own; that is as good as a kill.
        if fault.kind == "hdf5" and (done.code < 0 or done.code > 3):
            return "killed"
        if done.code < 0:
            raise Broken(f"signal {-done.code} ended it: {done.err.strip()}")
        if not done.log:
            raise Broken(f"it ended with {done.code} and left no log: {done.err.strip()}")
        if done.log.get("objects"):
            raise Broken(f"{done.log['objects']} OpenCL objects were not released: "
                         f"{done.err.strip()}")
        if done.code == 0:
            return "survived" if done.log["struck"] else "missed"
        if not done.log["struck"]:
            raise Broken(f"nothing failed, and it ended with {done.code}: {done.err.strip()}")
        if not re.search(r"^octant: \S.{8}", done.err, re.M) or done.code > 3:
            raise Broken(f"it ended with {done.code} and said: {done.err.strip() or 'nothing'}")
        return "refused"

    def check_files(self, files, word):
        for name, data in files.items():
            whole = WHOLE.get(pathlib.Path(name.replace(".prev", "")).suffix)
            if name.endswith(".tmp") or data == self.given.get(name):
                continue
            if pathlib.Path(name).name in self.live:
                data = data[:data.rfind(b"\n") + 1]
                whole = None if not data else whole
            if whole and not whole(data):
                raise Broken(f"{name} is not whole ({len(data)} bytes)")
        left = [name for name in files if name.endswith(".tmp")]
        if left and word != "killed":
            raise Broken(f"{left[0]} was left behind")
        if files.get("notes.txt") != self.given["notes.txt"]:
            raise Broken("a file of somebody else was touched")
        kept = self.given.get("o/checkpoint.hdf5")
        if kept and kept not in files.values() and "o/checkpoint.hdf5" not in files:
            raise Broken("there was a checkpoint, and now there is none")

    def check_same(self, files, expected, when):
        files, expected = nameless(files), nameless(expected)
        for name in sorted({*files, *expected}):
            if files.get(name) == expected.get(name):
                continue
            what = ("is missing" if name not in files else
                    "should not be there" if name not in expected else "is another one")
            raise Broken(f"{when}, and {name} {what}")

    def mend(self, folder, files):
        """A later run without faults makes what one that never failed would have made."""
        state = digest(nameless(files))
        if state not in self.mended:
            try:
                self.make_good(folder, files)
                self.mended[state] = None
            except Broken as broken:
                self.mended[state] = str(broken)
        if self.mended[state]:
            raise Broken(self.mended[state])

    def make_good(self, folder, files):
        arguments = self.arguments
        if self.mends == "run":
            arguments = self.going_on(files)
        elif self.mends == "force":
            arguments = [*arguments, "--force"]
        done = self.machine.run(arguments, folder)
        if done.code != 0:
            raise Broken(f"afterwards `octant {' '.join(arguments)}` ends with {done.code}: "
                         f"{done.err.strip()}")
        found = contents(folder)
        self.check_files(found, "mended")
        self.check_same(*(without_previous(files) for files in (found, self.good_files)),
                        f"afterwards `octant {' '.join(arguments)}` ended well")

    def going_on(self, files):
        """How a user goes on with a run: resumes it where it has a checkpoint, or begins anew."""
        out = self.arguments[self.arguments.index("--out") + 1]
        scene = [word for word in self.arguments[1:2] if word.endswith(".yaml")]
        for name in ("checkpoint.hdf5", "checkpoint.hdf5.prev"):
            if f"{out}/{name}" in files and files[f"{out}/{name}"] != self.given.get(
                    f"{out}/{name}"):
                return ["run", f"--resume={out}/{name}", "--out", out, "--quiet"]
        if "--resume" in self.arguments:
            return [*self.arguments]
        return ["run", *scene, "--out", out, "--force", "--quiet"]


def thin(values, most):
    """At most so many of the values, evenly spread."""
    return [values[(2 * i + 1) * len(values) // (2 * most)] for i in range(most)] \
        if len(values) > most else values
