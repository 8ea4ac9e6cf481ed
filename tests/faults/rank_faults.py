"""Runs that ranks share, one of which fails: who says so, how soon, and what is left."""

import re
import shutil
import subprocess
import time

from octant_faults import Broken, Fault, read_log, thin, whole_hdf5

# Open MPI counts cores, and does not like root.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
       "ASAN_OPTIONS": "detect_leaks=0"}
SCENES = {
    "cluster": """\
units: nbody
models: [plummer: {n: 48}]
gravity: {method: direct, softening: 0.05}
integrator: {dt: 0.01}
run: {until: 0.4}
output: {diagnostics: 0.05, snapshot: 0.1, checkpoint: 0.02}
""",
    # A crowd in which most of a step is rounds of collisions that ranks agree upon.
    "ring": """\
units: si
models: [ring: {n: 90, density: 500, radius: 1, dispersion: 1.0e-3, spread: 2}]
box: {boundary: shear, size: [12, 15, 30], omega: 1.3e-4}
gravity: {method: none}
collisions: {method: tree, restitution: 0.5}
integrator: {method: sei, dt: 20}
run: {until: 400}
output: {diagnostics: 80, snapshot: 200, checkpoint: 40}
"""}
# The longest that a run may take to end after a rank has failed. The rank that did waits two
# seconds for a better sentence of the first, mpirun kills the others a second later.
PATIENCE = 20


class RankRun:
    """A run of so many ranks: processes of MPI, or threads."""

    def __init__(self, machine, ranks, processes, more=(), scene="cluster"):
        self.machine, self.ranks, self.processes, self.more = machine, ranks, processes, more
        self.home = machine.root / f"{'mpi' if processes else 'threads'}-{ranks}"
        self.home.mkdir()
        (self.home / "scene.yaml").write_text(SCENES[scene])
        self.seconds = 0.0  # that the last fault took to end it
        # The first run has kernels to compile.
        self.hash = self.go(self.folder("good"), ["--out", "o", "--json"], patience=180).hash

    def folder(self, name):
        folder = self.home / name
        if folder.exists():
            shutil.rmtree(folder)
        (folder / "tmp").mkdir(parents=True)
        shutil.copy(self.home / "scene.yaml", folder)
        return folder

    def command(self, arguments, fault, victim):
        if not self.processes:
            return [self.machine.binary, "run", f"--domains={self.ranks}", *arguments]
        # The fault is in the environment of one process.
        armed = f"LD_PRELOAD={self.machine.library} OCTANT_FAULT={fault}" if fault else ""
        script = (f'if [ "$OMPI_COMM_WORLD_RANK" = {victim} ]; then '
                  f'exec env {armed} "$0" "$@"; else exec "$0" "$@"; fi')
        return ["mpirun", "-n", str(self.ranks), "sh", "-c", script, self.machine.binary, "run",
                *arguments]

    def go(self, folder, arguments, fault=None, victim=0, scene=("scene.yaml",),
           patience=PATIENCE):
        environment = {**self.machine.environment(folder), **MPI,
                       "OCTANT_FAULT_LOG": str(folder / "tmp" / "fault.log")}
        if fault and not self.processes:
            environment.update(LD_PRELOAD=self.machine.library, OCTANT_FAULT=str(fault))
        began = time.monotonic()
        process = subprocess.Popen(
            self.command([*scene, *(self.more if scene else ()), *arguments], fault, victim),
            cwd=folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            errors="replace", env=environment, start_new_session=True)
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Broken(f"it had not ended after {patience} s") from None
        return Done(process, out, err, time.monotonic() - began,
                    read_log(folder / "tmp" / "fault.log"))

    def moments(self, kind, victim, most):
        """Calls of a kind, evenly spread over the run of a rank."""
        log = self.go(self.folder("count"), ["--out", "o"], Fault(kind, 0, "fail"), victim).log
        return thin(list(range(1, log[kind] + 1)), most)

    def attempt(self, fault, victim):
        """Lets it happen in a rank; a word for what came of it, or Broken."""
        folder = self.folder("work")
        done = self.go(folder, ["--out", "o", "--quiet"], fault, victim)
        self.seconds = done.seconds
        if done.code == 0:
            return "survived"
        self.check_said(done, fault, victim)
        end = time.monotonic() + PATIENCE / 4
        while running(done.pid) and time.monotonic() < end:
            time.sleep(0.1)  # mpirun does not wait for those that it has killed
        if running(done.pid):
            raise Broken(f"processes are left: {running(done.pid)}")
        self.check_files(folder)
        return "killed" if fault.mode == "kill" else "refused"

    def check_said(self, done, fault, victim):
        if re.search("Sanitizer|runtime error:|internal|terminate called|Segmentation", done.err):
            raise Broken(f"it said: {done.err.strip()}")
        if fault.mode == "kill":
            named = not self.processes or f"rank {victim}" in done.err
        else:
            sentences = re.findall(r"(?m)^octant: (.*)", done.err)
            who = rf"rank {victim} of {self.ranks}: " if self.processes else r"rank \d of \d: "
            named = len(sentences) == 1 and re.match(who + r"\S.{8}", sentences[0])
        if not named:
            raise Broken(f"it ended with {done.code} and said: {done.err.strip() or 'nothing'}")

    def check_files(self, folder):
        """All files are whole, and fewer ranks or as many go on."""
        out = folder / "o"
        for path in out.glob("*.hdf5*"):  # parts too
            if not path.name.endswith(".tmp") and not whole_hdf5(path.read_bytes()):
                raise Broken(f"{path.name} is not whole")
        checkpoint = next((path for path in [out / "checkpoint.hdf5", out / "checkpoint.hdf5.prev"]
                           if path.exists()), None)
        again = ["--force"] if not checkpoint else [f"--resume={checkpoint}"]
        scene = () if checkpoint else ("scene.yaml",)
        fewer = [self.machine.binary, "run", *scene, *again, f"--domains={self.ranks - 1}",
                 "--out", "other", "--quiet"]
        done = subprocess.run(fewer, cwd=folder, capture_output=True, text=True, check=False,
                              env=self.machine.environment(folder), timeout=PATIENCE)
        if done.returncode != 0:
            raise Broken(f"afterwards `octant {' '.join(fewer[1:])}` ends with "
                         f"{done.returncode}: {done.stderr.strip()}")
        same = self.go(folder, [*again, "--out", "o", "--json"], scene=scene)
        if same.code != 0:
            raise Broken(f"afterwards it ends with {same.code}: {same.err.strip()}")
        if same.hash != self.hash:
            raise Broken("as many ranks go on to other bits")


def running(session):
    """Processes of a session, but for those that have ended and nobody has asked for yet."""
    lines = subprocess.run(["ps", "-s", str(session), "-o", "stat=,pid=,args="],
                           capture_output=True, text=True, check=False).stdout.splitlines()
    return [line for line in lines if not line.startswith("Z")]


class Done:
    def __init__(self, process, out, err, seconds, log):
        self.code, self.pid, self.out, self.err = process.returncode, process.pid, out, err
        self.seconds, self.log = seconds, log

    @property
    def hash(self):
        found = re.findall('"state_hash": "([0-9a-f]+)"', self.out)
        if self.code != 0 or not found:
            raise Broken(f"without a fault it ends with {self.code}: {self.err.strip()}")
        return found[-1]
