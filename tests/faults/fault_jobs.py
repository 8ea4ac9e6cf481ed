"""The jobs that faults are tried on: small ones, of every command."""

import http.client
import json
import re
import shutil
import signal
import threading

from octant_faults import Broken, Job, contents

CLUSTER = """\
title: A small cluster
seed: 7
units: nbody
models:
  - plummer: {n: 16}
gravity: {method: direct, softening: 0.05}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 0.08}
output: {diagnostics: 0.02, snapshot: 0.04, checkpoint: 1e-9}
"""

# With enough to test that a second process helps where there is nothing yet.
FIRST = CLUSTER + "box: {boundary: open, removal_radius: 30}\n"

RING = """\
title: A small ring
seed: 3
units: si
box: {boundary: shear, size: [30 m, 30 m, 30 m], ghosts: [1, 1, 0], omega: 1.3e-4 /s}
models:
  - ring: {n: 60, density: 400, radius: 1 m, spread: 1 m}
gravity: {method: tree, theta: 0.5, softening: 0.1 m}
collisions: {method: tree, restitution: bridges, relax: 5}
integrator: {method: sei, dt: 1e-3 orbit}
run: {until: 4e-3 orbit}
output: {diagnostics: 2e-3 orbit, snapshot: 4e-3 orbit, checkpoint: 1e-9}
"""

SYSTEMS = """\
title: Two systems
units: solar
models:
  - solar-system: {planets: [earth, jupiter]}
  - solar-system: {planets: [mars], offset: [90, 0, 10], velocity: [0, 0.001, 0]}
gravity: {method: systems}
integrator: {method: wh, dt: 10}
run: {until: 60}
output: {diagnostics: 20, snapshot: 30, checkpoint: 1e-9}
"""

CUSTOM = """\
title: A force of the user's own
seed: 7
models:
  - plummer: {n: 16}
gravity: {method: direct, softening: 0.05}
forces:
  - custom: {file: drag.cl, parameters: [0.1]}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 0.04}
"""

BODIES = "x,y,z,vx,vy,vz,mass\n" + "".join(
    f"{i}.5,{i * i},{-i},0.25,{i},0,{i + 1}\n" for i in range(12))

TABLES = ("diagnostics.csv", "profiles.csv")
FILES = ["open", "read", "write", "fsync", "lock", "rename", "unlink", "link", "mkdir", "stat"]


def run(name, scene, *more, files=None, **how):
    return Job(name, ["run", "scene.yaml", "--out", "o", "--json", *more],
               {"scene.yaml": scene, **(files or {})}, mends="run", live=TABLES, **how)


def make_jobs():
    seed = ["run", "scene.yaml", "--out", "o", "--quiet"]
    pictures = ["o/snapshot_0000.hdf5", "o/snapshot_0001.hdf5"]
    small = {"scene.yaml": CLUSTER}
    jobs = [
        run("run", CLUSTER),
        run("run-ring", RING, most=60),
        run("run-systems", SYSTEMS, most=60),
        run("run-components", CLUSTER.replace("output: {", "output: {components: [all, star], "),
            most=40),
        run("run-first-use", FIRST, cold=True, only=["spawn", "thread", *FILES]),
        Job("prepare", ["prepare", "scene.yaml"], {"scene.yaml": FIRST}, cold=True, most=8,
            compare_output=False),
        Job("run-film", ["run", "scene.yaml", "--out", "o", "--json", "--film", "film.mp4",
                         "--film-interval", "0.04", "--film-set", "size=240x200"], small,
            mends="force", live=TABLES, needs="ffmpeg", only=["spawn", "thread", *FILES]),
        Job("run-profile", ["run", "scene.yaml", "--out", "none", "--json", "--profile",
                            "trace.json"], small, only=["cl", "malloc", *FILES], most=8),
        Job("resume", ["run", "--resume", "--out", "o", "--json"], small, mends="run",
            before=[[*seed, "--steps", "4"]], live=TABLES),
        Job("resume-ring", ["run", "--resume", "--out", "o", "--json"], {"scene.yaml": RING},
            mends="run", before=[[*seed, "--steps", "2"]], live=TABLES, most=8),
        Job("force", ["run", "scene.yaml", "--out", "o", "--force", "--json"], small,
            mends="run", before=[[*seed, "--set", "seed=8", "--set", "output.snapshot=0.01"]],
            live=TABLES),
        View("view", ["view", "scene.yaml", "--out", "v", "--paused"], small),
        View("view-folder", ["view", "o"], small, before=[seed], most=8),
        Job("render", ["render", *pictures, "--out", "p", "--size", "240x200", "--json"], small,
            before=[seed]),
        Job("render-spheres", ["render", "o/snapshot_0000.hdf5", "--out", "p.png", "--mode",
                               "spheres", "--size", "240x200"], {"scene.yaml": RING}, before=[seed],
            most=8),
        Job("render-svg", ["render", *pictures, "--out", "p", "--format", "svg"], small,
            before=[seed], most=8),
        Job("render-pdf", ["render", pictures[0], "--out", "p.pdf"], small, before=[seed],
            most=8),
        Job("render-film", ["render", *pictures, "--film", "film.mp4", "--size", "240x200"], small,
            before=[seed], needs="ffmpeg", only=["spawn", "thread", *FILES]),
        Job("convert", ["convert", "o/checkpoint.hdf5", "bodies.csv"], small, before=[seed]),
        Job("convert-csv", ["convert", "bodies.csv", "bodies.hdf5"], {"bodies.csv": BODIES}),
        Job("convert-tipsy", ["convert", "bodies.csv", "bodies.tipsy"], {"bodies.csv": BODIES}),
        Job("convert-gadget", ["convert", "bodies.csv", "bodies.h5", "--to", "gadget"],
            {"bodies.csv": BODIES}, most=8),
        Job("groups", ["groups", "bodies.csv", "--length", "5", "--least", "1", "--out", "g.csv",
                       "--bodies", "with.csv", "--json"], {"bodies.csv": BODIES}, most=8),
        Job("compare", ["compare", "scene.yaml", "--b", "integrator.dt=0.005", "--out", "c",
                        "--json"], small, live=("compare.csv", "bodies.csv"), mends="force"),
        Scan("sweep", ["sweep", "scene.yaml", "--vary", "gravity.softening=0.05,0.1", "--workers",
                       "1", "--out", "o", "--json"], small, live=TABLES, mends="run"),
        Scan("sweep-batch", ["sweep", "scene.yaml", "--vary", "gravity.softening=0.05,0.1",
                             "--workers", "1", "--batch", "on", "--out", "o", "--json"], small,
             live=TABLES, mends="run", only=["malloc", "cl"], most=12),
        Job("stability", ["stability", "scene.yaml", "--json"], {"scene.yaml": SYSTEMS}),
        Job("bench", ["bench", "direct", "--n", "64", "--seconds", "0.001", "--precision",
                      "single", "--json"], {}, most=8),
        Job("check", ["check", "scene.yaml", "--json"], small, most=8),
        Job("accuracy", ["accuracy", "scene.yaml", "--json"], small, most=8),
        Job("info", ["info", "o/checkpoint.hdf5", "--json"], small, before=[seed]),
        Job("info-csv", ["info", "bodies.csv", "--json"], {"bodies.csv": BODIES}, most=8),
        Job("list", ["list", "--markdown"], {}, most=8),
        Job("devices", ["devices", "--json"], {}, only=["malloc", "cl", "print"]),
    ]
    return [job for job in jobs if not job.needs or shutil.which(job.needs)]


class Scan(Job):
    """A sweep, which is resumed; its table has times on the wall."""

    def check_files(self, files, word):
        plain = {name.replace("table.hdf5", "table.h5"): data for name, data in files.items()}
        if "o/table.csv" in plain:  # sentences have commas
            plain["o/table.csv"] = re.sub(rb'"[^"]*"', b"", plain["o/table.csv"])
        super().check_files(plain, word)

    def check_same(self, files, expected, when):
        super().check_same(self.timeless(files), self.timeless(expected), when)

    def timeless(self, files):
        """What no clock has made."""
        found = {name: data for name, data in files.items() if not name.endswith("table.hdf5")}
        table = found.get("o/table.csv", b"").decode()
        rows = [line.split(",") for line in table.splitlines()]
        clock = rows[0].index("wall_s") if rows and "wall_s" in rows[0] else 0
        found["o/table.csv"] = str([row[:clock] + row[clock + 1:] for row in rows]).encode()
        return found

    def going_on(self, files):
        return [*self.arguments, *(["--resume"] if "o/sweep.yaml" in files else [])]


class View(Job):
    """The viewer: it is started, asked for a few things, and stopped."""

    PATHS = [("GET", "/"), ("GET", "/api/state"), ("GET", "/frames?once=1"),
             ("POST", "/api/step"), ("POST", "/api/checkpoint"), ("GET", "/api/series"),
             ("GET", "/api/state")]

    def go(self, folder, fault=None, sites=False):
        process = self.machine.start(self.arguments, folder, fault, sites)
        late = threading.Timer(self.machine.timeout, process.kill)
        late.start()
        address = None
        for line in process.stdout:
            address = re.match(r"http://([\d.]+):(\d+)/", line)
            if address:
                break
        replies = []
        if address:
            replies = [self.ask(process, address, *path) for path in self.PATHS]
            process.send_signal(signal.SIGINT)
        done = self.machine.finish(process, folder)
        if not late.is_alive():
            raise Broken(f"it said nothing and did not end in {self.machine.timeout} s")
        late.cancel()
        return done._replace(out=json.dumps(replies))

    def judge(self, done, fault):
        """What is asked for can be refused without an end."""
        word = super().judge(done, fault)
        return "refused" if word == "survived" and done.out != self.good_out else word

    def make_good(self, folder, files):
        """What is saved again gets a number of its own: whole is enough."""
        done = self.go(folder)
        if done.code != 0 or done.out != self.good_out:
            raise Broken(f"afterwards it ends with {done.code}, replies {done.out}: {done.err}")
        self.check_files(contents(folder), "mended")

    def ask(self, process, address, method, path):
        """The status of a reply; 0 where the connection just ends."""
        connection = http.client.HTTPConnection(address[1], int(address[2]), timeout=20)
        try:
            connection.request(method, path, headers={"X-Octant-Token": "0" * 32})
            reply = connection.getresponse()
            # Frames go on coming: the head of one is enough.
            text = reply.read(192 if path.startswith("/frames") and reply.status == 200 else None)
            if reply.status >= 400 and not json.loads(text).get("error"):
                raise Broken(f"{method} {path} was answered {reply.status} without a sentence")
            return reply.status
        except TimeoutError as error:
            process.kill()
            raise Broken(f"{method} {path} was not answered in 20 s") from error
        except (OSError, http.client.HTTPException, ValueError):
            return 0
        finally:
            connection.close()

    def output(self, done):
        return done.out
