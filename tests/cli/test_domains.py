"""octant run with more than one domain: threads and processes, files, and what ends it."""

import os
import re
import subprocess
import unittest

from octant_cli import BINARY, OctantTest, needs
from octant_view import Viewer, ViewTest, read_frame

SMALL = ["--set", "models.0.plummer.n=60", "--set", "gravity.method=direct"]
# Open MPI counts cores, and does not like root.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
       "ASAN_OPTIONS": "detect_leaks=0"}


def rows(path):
    """The rows of a file, without the name of its run."""
    return [line for line in path.read_text().splitlines() if not line.startswith("# run")]


class Domains(OctantTest):
    def mpirun(self, n, *arguments, **options):
        return subprocess.Popen(["mpirun", "-n", str(n), BINARY, *arguments], cwd=self.folder,
                                env={**os.environ, **MPI}, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **options)

    @needs("mpi")
    def test_mpirun_of_another_mpi(self):
        """Each of its processes is alone, and would run the whole scene."""
        done = subprocess.run([BINARY, "run", "two-body", "--out=none"], cwd=self.folder, text=True,
                              env={**os.environ, **MPI, "OMPI_COMM_WORLD_SIZE": "2"},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("mpirun started 2 processes, of which Octant's MPI sees one", done.stderr)
        self.assertNotIn("step", done.stdout)

    def last(self, text):
        return re.search('"state_hash": "([0-9a-f]+)"', text.splitlines()[-1])[1]

    def hash(self, *arguments):
        return self.last(self.octant("run", *arguments, "--json").stdout)

    @needs("hdf5")
    def test_files_are_those_of_one_run(self):
        run = ["plummer", *SMALL, "--set", "output.snapshot=0.0625", "--steps", "16", "--quiet"]
        for name, domains in [("one", []), ("three", ["--domains", "3"]),
                              ("again", ["--device", "0,0,0"])]:
            self.octant("run", *run, "--out", name, *domains)
        folders = {name: self.folder / name for name in ["one", "three", "again"]}
        self.assertEqual({path.name for path in folders["one"].iterdir()},
                         {path.name for path in folders["three"].iterdir()})
        self.assertEqual(rows(folders["three"] / "diagnostics.csv"),
                         rows(folders["again"] / "diagnostics.csv"))
        for name in folders:
            self.octant("convert", f"{name}/snapshot_0002.hdf5", f"{name}.csv")
        text = {name: rows(self.folder / f"{name}.csv") for name in folders}
        self.assertEqual(text["three"], text["again"])
        self.assertEqual([line.split(",")[0] for line in text["one"]],
                         [line.split(",")[0] for line in text["three"]])
        self.assertNotEqual(text["one"], text["three"])

    def test_a_ring_is_written_to_its_end(self):
        run = ["saturn-ring", "--set", "box.size=[60 m, 60 m, 200 m]",
               "--set", "gravity.method=none", "--steps=20", "--quiet"]
        for name, domains in [("one", "1"), ("two", "2")]:
            self.octant("run", *run, "--out", name, "--domains", domains)
        folders = [self.folder / name for name in ("one", "two")]
        impacts = [rows(folder / "impacts.csv") for folder in folders]
        self.assertGreater(len(impacts[0]), 3)
        self.assertEqual(*impacts)
        self.assertEqual(*[sorted(path.name for path in folder.iterdir()) for folder in folders])

    @needs("png", "hdf5")
    def test_films_show_all_domains(self):
        run = ["plummer", *SMALL, "--steps=16", "--out=none", "--quiet",
               "--film-interval=0.03125"]
        for name, domains in [("one.mp4", 1), ("three.mp4", 3)]:
            self.octant("run", *run, f"--domains={domains}", "--film", name)
        sizes = [(self.folder / name).stat().st_size for name in ("one.mp4", "three.mp4")]
        # They are the same; a film of a third of the bodies has 1 % fewer bytes.
        self.assertLess(abs(sizes[0] / sizes[1] - 1), 0.003)

    @needs("hdf5")
    def test_snapshots_in_parts_are_those_of_one_file(self):
        run = ["plummer", *SMALL, "--set", "output.snapshot=0.0625", "--steps=16", "--domains=3"]
        self.octant("run", *run, "--quiet", "--out=one")
        self.octant("run", *run, "--quiet", "--out=parts", "--set", "output.parts=true")
        for name in ["one", "parts"]:
            self.octant("convert", f"{name}/snapshot_0002.hdf5", f"{name}.csv")
        self.assertEqual(sorted(rows(self.folder / "one.csv")),
                         sorted(rows(self.folder / "parts.csv")))
        snapshots = sorted(path.name for path in (self.folder / "parts").glob("snapshot_0002*"))
        self.assertEqual(snapshots, ["snapshot_0002.hdf5", *(f"snapshot_0002.hdf5.part-{k}"
                                                            for k in range(3))])
        # A whole is no more than its parts.
        second = self.folder / "parts/snapshot_0002.hdf5.part-1"
        good = second.read_bytes()
        other = (self.folder / "parts/snapshot_0001.hdf5.part-1").read_bytes()
        for data, part in [(other, "is not the part of"), (good[:-9], "is truncated"),
                           (None, "part-1")]:
            second.unlink()
            if data:
                second.write_bytes(data)
            self.assertIn(part, self.octant("info", "parts/snapshot_0002.hdf5", status=2).stderr)
            if not data:
                second.write_bytes(good)
        # What a run replaces goes with its parts.
        self.octant("run", *run, "--quiet", "--out=parts", "--force")
        self.assertEqual(list((self.folder / "parts").glob("*.part-*")), [])

    @needs("hdf5")
    def test_checkpoints_in_parts_go_on_with_any_number(self):
        whole = self.hash("plummer", *SMALL, "--steps=8", "--out=none", "--domains=3")
        self.octant("run", "plummer", *SMALL, "--steps=4", "--out=part", "--domains=3", "--quiet",
                    "--set", "output.parts=true", "--set", "output.checkpoint=0.001")
        parts = [path.name for path in sorted((self.folder / "part").glob("checkpoint*"))]
        self.assertEqual(parts, ["checkpoint.hdf5", *(f"checkpoint.hdf5.part-4-{k}of3"
                                                     for k in range(3))])
        checkpoint = self.folder / "part/checkpoint.hdf5"
        self.assertEqual(self.octant_json("info", checkpoint)["n"], 60)
        for domains, same in [(3, True), (2, False), (4, False), (1, False)]:
            found = self.hash(f"--resume={checkpoint}", "--out=none", "--steps=8",
                              f"--domains={domains}")
            self.assertEqual(found == whole, same)
        part = self.folder / "part/checkpoint.hdf5.part-4-1of3"
        good = part.read_bytes()
        part.write_bytes(good[:-1])
        for domains in ["3", "1"]:
            self.assertIn("truncated", self.octant("run", f"--resume={checkpoint}", "--out=none",
                                                   f"--domains={domains}", status=2).stderr)
        part.unlink()
        self.assertIn("part-4-1of3", self.octant("info", checkpoint, status=2).stderr)
        part.write_bytes(good)
        self.octant("run", "--resume", "--out=part", "--steps=8", "--domains=2", "--quiet")
        self.assertEqual(len(list((self.folder / "part").glob("checkpoint*"))), 3)

    @needs("hdf5")
    def test_parts_that_are_too_late_are_cut_off(self):
        """A run that goes on from an earlier checkpoint makes its later snapshots again."""
        run = ["plummer", *SMALL, "--set", "output.snapshot=0.0625", "--domains=3", "--quiet",
               "--set", "output.parts=true", "--out=part"]
        self.octant("run", *run, "--steps=16")
        early = {path: path.read_bytes() for path in (self.folder / "part").glob("checkpoint*")}
        self.octant("run", "--resume", "--out=part", "--domains=3", "--quiet", "--steps=40")
        there = {path.name for path in (self.folder / "part").glob("snapshot_*")}
        self.assertIn("snapshot_0004.hdf5.part-2", there)
        for path, data in early.items():
            path.write_bytes(data)
        self.octant("run", "--resume", "--out=part", "--domains=2", "--quiet", "--steps=32")
        left = {path.name for path in (self.folder / "part").glob("snapshot_0004*")}
        self.assertEqual(left, {"snapshot_0004.hdf5", "snapshot_0004.hdf5.part-0",
                                "snapshot_0004.hdf5.part-1"})
        self.octant("info", "part/snapshot_0004.hdf5")

    @needs("hdf5")
    def test_resumed_is_never_stopped(self):
        whole = self.hash("plummer", *SMALL, "--steps=8", "--out=none", "--domains=3")
        for domains, same in [("3", True), ("2", False)]:
            self.octant("run", "plummer", *SMALL, "--steps=4", "--out=part", "--domains=3",
                        "--quiet", "--force")
            found = self.hash("--resume", "--out=part", "--steps=8", f"--domains={domains}")
            self.assertEqual(found == whole, same)

    def test_what_is_refused_leaves_no_folder(self):
        self.assertIn("gravity.threshold does not work",
                      self.refused("run", "galaxy", "--domains=2", "--steps=1", "--out=no",
                                   "--set", "gravity.threshold=1"))
        self.assertIn("--shares has 3 numbers for 2 domains",
                      self.octant("run", "plummer", "--domains=2", "--shares=1,2,1", "--out=no",
                                  status=2).stderr)
        # How many bodies there are is known when they are made.
        self.assertIn("solar systems", self.octant("run", "solar-system", "--domains=2",
                                                   "--steps=1", "--out=no", status=2).stderr)
        self.assertFalse((self.folder / "no").exists())
        self.assertIn("no device 7", self.refused("run", "plummer", "--device=0,7", "--out=none"))

    @needs("mpi", "hdf5")
    def test_processes_do_what_threads_do(self):
        relative = ["--set", "gravity.criterion=relative"]
        for scene in [["plummer", *SMALL, "--set", "gravity.method=direct"],
                      ["plummer", *SMALL, "--set", "gravity.method=tree", *relative],
                      ["galaxy"],
                      ["saturn-ring", "--set", "box.size=[90 m, 90 m, 200 m]"]]:
            run = [*scene, "--steps=4", "--out=none"]
            process = self.mpirun(3, "run", *run, "--json")
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
            self.assertEqual(self.last(out), self.hash(*run, "--domains=3"))

    @needs("mpi", "hdf5")
    def test_one_sentence_for_all_processes(self):
        process = self.mpirun(3, "run", "solar-system", "--out=none")
        _, err = process.communicate(timeout=60)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(len(re.findall("(?m)^octant: ", err)), 1, err)


class Watched(ViewTest):
    # Bodies that nothing pulls have the bits of one domain, whoever has them.
    FREE = ["plummer", "--set", "models.0.plummer.n=90", "--set", "gravity.method=none",
            "--set", "integrator.dt=0.001"]

    def bodies_of(self, snapshot):
        """Positions by the order of a snapshot."""
        self.octant("convert", snapshot, "bodies.csv")
        lines = [line.split(",") for line in rows(self.folder / "bodies.csv")
                 if not line.startswith("#")]
        columns = [lines[0].index(axis) for axis in "xyz"]
        return [[float(line[c]) for c in columns] for line in lines[1:]]

    @needs("hdf5")
    def test_the_viewer_shows_all_domains(self):
        viewer = Viewer(self, "run", *self.FREE, "--until", "1000", "--out", "seen", "--json",
                        "--view", "--domains", "3")
        viewer.post("pause")
        viewer.post("frame", "most=40")
        # By now bodies have changed their domains.
        step = viewer.post("step", "steps=2000")["step"]
        viewer.post("snapshot")
        frame = read_frame(viewer.stream())
        self.assertEqual((frame.step, frame.count, frame.stride, frame.total), (step, 30, 3, 90))
        saved, = [path for path in viewer.state()["saved"] if path.endswith(".hdf5")]
        bodies = self.bodies_of(self.folder / "seen" / os.path.basename(saved))
        for k in range(frame.count):
            for axis, x in enumerate(frame.position(k)):
                size = (frame.high[axis] - frame.low[axis]) / 65534
                self.assertLess(abs(x - bodies[3 * k][axis]), 0.51 * size)
        told = viewer.get("/api/body?slot=40&count=50")["bodies"]
        told += viewer.get("/api/body?id=40")["bodies"]
        self.assertEqual([body["slot"] for body in told], [*range(40, 90), 39])
        for body in told:
            self.assertEqual(body["position"], bodies[body["slot"]])
            self.assertEqual(body["id"], str(body["slot"] + 1))
        state = viewer.state()
        self.assertEqual((state["slots"], state["n"]), (90, 90))
        self.assertEqual(viewer.request("GET", "/api/body?id=91")[0], 404)
        self.assertNotIn("set", state["verbs"])
        self.assertNotIn("density", state["frame"]["colours"])
        for refused in (("set", "gravity.method=direct"), ("frame", "colour=density")):
            self.assertIn("more than one domain", viewer.refused(*refused))
        viewer.post("quit")
        _, out, _ = viewer.wait()
        alone = self.octant("run", *self.FREE, "--steps", step, "--out", "none", "--json").stdout
        hashes = [re.search('"state_hash": "([0-9a-f]+)"', text.splitlines()[-1])[1]
                  for text in (out, alone)]
        self.assertEqual(*hashes)


if __name__ == "__main__":
    unittest.main()
