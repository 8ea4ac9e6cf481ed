"""The viewer's server, as a browser or somebody else would talk to it."""

import json
import time
import unittest

from octant_view import Viewer, ViewTest, read_frame

STATE_KEYS = """octant interface mode verbs title scene paused ended error step time dt until steps
    n slots generation begun speed steps_per_s step_ms device precision units boundary parameters
    frame streams series phases changed out saved files""".split()


class Control(ViewTest):
    def test_the_state_has_what_is_documented(self):
        state = self.view().state()
        self.assertEqual(sorted(state), sorted(STATE_KEYS))
        self.assertEqual(state["mode"], "scene")
        self.assertEqual((state["n"], state["step"], state["paused"]), (48, 0, True))
        self.assertEqual((state["dt"], state["until"], state["steps"]), (0.01, 1, 100))
        self.assertEqual(state["parameters"]["gravity.softening"], "0.05")
        self.assertNotIn("models.0.plummer.n", state["parameters"])

    def test_steps_are_taken_one_by_one(self):
        viewer = self.view()
        self.assertEqual(viewer.post("step")["step"], 1)
        reply = viewer.post("step", "steps=20")
        self.assertEqual((reply["step"], reply["paused"]), (21, True))
        self.assertEqual(viewer.state()["step"], 21)
        self.assertIn("whole number", viewer.refused("step", "steps=0"))
        self.assertIn("did you mean 'steps'", viewer.refused("step", "step=2"))

    def test_it_runs_rests_and_stops_at_the_end(self):
        viewer = self.view()
        viewer.post("speed", "limit=20")
        viewer.post("resume")
        time.sleep(1)
        step = viewer.post("pause")["step"]
        self.assertTrue(5 <= step <= 30, step)
        time.sleep(0.2)
        self.assertEqual(viewer.state()["step"], step)
        viewer.post("speed", "limit=0")
        viewer.post("resume")
        while not viewer.state()["ended"]:
            time.sleep(0.05)
        state = viewer.state()
        self.assertEqual((state["step"], state["paused"]), (100, True))
        self.assertEqual(viewer.post("step", "steps=5")["step"], 105)

    def test_parameters_change_on_the_way(self):
        viewer = self.view("--set", "gravity.method=tree")
        viewer.post("step", "steps=10")
        before = viewer.state()
        force = viewer.get("/api/body?slot=0")["bodies"][0]["acceleration"]
        reply = viewer.post("set", "gravity.theta=0.7", "gravity.softening=0.1")
        self.assertNotEqual(viewer.get("/api/body?slot=0")["bodies"][0]["acceleration"], force)
        self.assertEqual(reply["changed"]["keys"], ["gravity.theta", "gravity.softening"])
        self.assertGreater(reply["changed"]["ms"], 0)
        state = viewer.state()
        self.assertEqual(state["parameters"]["gravity.theta"], "0.7")
        self.assertEqual((state["step"], state["time"], state["generation"]),
                         (10, before["time"], before["generation"]))
        # With another dt time and steps go on from here.
        viewer.post("set", "integrator.dt=0.03")
        state = viewer.state()
        self.assertEqual((state["step"], state["time"]), (10, before["time"]))
        self.assertEqual((state["dt"], state["steps"]), (0.03, 10 + 30))
        reply = viewer.post("step", "steps=2")
        self.assertEqual((reply["step"], reply["time"]), (12, before["time"] + 2 * 0.03))
        # What may change, and what is said of the rest, is the library's.
        self.assertIn("models.0.plummer.n is 5 in the scene and 48 in the simulation, whose state "
                      "does not survive", viewer.refused("set", "models.0.plummer.n=5"))
        self.assertIn("in the past", viewer.refused("set", "run.until=0.01"))
        self.assertIn("G", viewer.state()["parameters"])
        self.assertNotIn("seed", viewer.state()["parameters"])
        viewer.post("set", "G=0.5")
        self.assertIn("# since step 12, time 0.16: G is 0.5, not 1\n",
                      viewer.get("/api/scene")["text"])
        self.assertIn("theta", viewer.refused("set", "gravity.theta=-1"))
        self.assertIn("expected KEY=VALUE", viewer.refused("set"))
        self.assertEqual(viewer.state()["parameters"]["gravity.theta"], "0.7")

    def test_another_method_keeps_what_both_know(self):
        viewer = self.view("--set", "gravity.method=tree", "--set", "gravity.theta=0.3")
        viewer.post("step", "steps=3")
        self.assertIn("'theta'", viewer.refused("set", "gravity.method=direct",
                                                "gravity.theta=0.4"))
        self.assertEqual(viewer.state()["parameters"]["gravity.method"], "tree")
        viewer.post("set", "gravity.method=direct")
        after = viewer.state()["parameters"]
        self.assertEqual((after["gravity.method"], after["gravity.softening"]), ("direct", "0.05"))
        self.assertNotIn("gravity.theta", after)
        self.assertEqual(viewer.post("step")["step"], 4)
        viewer.post("set", "gravity.method=tree", "gravity.criterion=relative")
        self.assertEqual(viewer.state()["parameters"]["gravity.softening"], "0.05")
        self.assertEqual(viewer.post("step")["step"], 5)
        viewer.post("set", "collisions.method=tree")
        self.assertEqual(viewer.post("step")["step"], 6)
        reply = viewer.post("scene", "name=saturn-ring-table1", "gravity.method=direct",
                            "box.ghosts=[0, 0, 0]")
        self.assertGreater(reply["n"], 0)
        self.assertEqual(viewer.state()["parameters"]["gravity.softening"], "0.1")

    def test_integrators_take_over_from_each_other(self):
        viewer = Viewer(self, "view", "galaxy", "--paused", "--set", "integrator.method=two-rate",
                        "--set", "integrator.inner=explicit")
        for step, changes in enumerate([["integrator.method=wh"],
                                        ["integrator.method=leapfrog", "gravity.method=direct"],
                                        ["gravity.method=systems", "integrator.method=two-rate"]]):
            viewer.post("set", *changes)
            self.assertEqual(viewer.post("step")["step"], step + 1)
        after = viewer.state()["parameters"]
        self.assertEqual([after[f"integrator.{key}"] for key in ("method", "inner", "dt")],
                         ["two-rate", "symplectic", "10"])
        # Planets are compared with the orbits they had at the start, which are not known later.
        viewer.post("set", "output.kepler_error=false")
        self.assertIn("output.kepler_error is true in the scene and false in the simulation",
                      viewer.refused("set", "output.kepler_error=true"))

    def test_theta_that_is_set_acts_as_one_from_the_start(self):
        hashes = []
        for arguments in ([], ["--set", "gravity.theta=0.9"]):
            viewer = self.view("--set", "gravity.method=tree", "--set", "gravity.leaf=1",
                               *arguments)
            if not arguments:
                viewer.post("set", "gravity.theta=0.9")
            viewer.post("step", "steps=20")
            hashes.append(viewer.get("/api/body?slot=0&count=48")["bodies"])
            viewer.post("quit")
        self.assertEqual(hashes[0], hashes[1])

    def test_another_scene_begins(self):
        viewer = self.view()
        viewer.post("step", "steps=3")
        generation = viewer.state()["generation"]
        reply = viewer.post("scene", "name=plummer", "models.0.plummer.n=64")
        self.assertEqual((reply["n"], reply["step"], reply["paused"]), (64, 0, True))
        state = viewer.state()
        self.assertEqual((state["scene"], state["n"]), ("plummer", 64))
        self.assertGreater(state["generation"], generation)
        self.assertEqual(viewer.get("/api/scene")["values"]["models.0.plummer.n"], "64")
        viewer.post("step", "steps=2")
        self.assertEqual(viewer.post("reset")["step"], 0)
        self.assertEqual(viewer.state()["n"], 64)
        self.assertIn("did you mean 'plummer'", viewer.refused("scene", "name=plumer", status=404))
        self.assertIn("name=NAME", viewer.refused("scene"))

    def test_no_file_is_named_from_outside(self):
        viewer = self.view()
        viewer.refused("scene", f"name={self.scene}", status=404)
        viewer.refused("scene", "name=../small.yaml", status=404)
        self.write("eight.csv", "id,mass,x,y,z,vx,vy,vz\n1,1,0,0,0,0,0,0\n")
        path = self.folder / "eight.csv"
        for lines in (["name=plummer", f"models=[file: {{path: {path}}}]"],
                      ["name=plummer", f'models.0={{"\\x66ile": {{path: {path}}}}}'],
                      ["name=plummer", "models=[merger: {first: {body: {mass: 1}}, second: "
                       f"{{file: {{path: {path}}}}}, pericentre: 1, separation: 2}}]"],
                      ["name=plummer", f"forces=[custom: {{file: {path}}}]"],
                      ["name=saturn-ring", "collisions.restitution=custom",
                       f"collisions.restitution_file={path}"]):
            self.assertIn("cannot name files", viewer.refused("scene", *lines))
            # Nobody is told whether there is such a file.
            nowhere = [line.replace(str(path), "/nowhere/at/all") for line in lines]
            self.assertEqual(viewer.refused("scene", *nowhere), viewer.refused("scene", *lines))
        for verb in ("set", "reset"):
            viewer.refused(verb, "collisions.restitution=custom",
                           f"collisions.restitution_file={path}")

    def test_a_refused_change_changes_nothing(self):
        viewer = self.view()
        viewer.post("step", "steps=10")

        def shown():
            state = viewer.state()
            for key in ("series", "frame"):
                del state[key]
            return (state, viewer.get("/api/scene"), viewer.get("/api/series"),
                    viewer.get("/api/body?slot=0&count=48")["bodies"])
        before = shown()
        for line in ("run.until=1e14", "run.until=1e300", "integrator.dt=1e-16",
                     "integrator.dt=1e-300", "integrator.dt=nan", "gravity.method=nothing",
                     "output.kepler_error=true", "gravity.theta=0.5"):
            viewer.refused("set", "gravity.softening=0.2", line)
            self.assertEqual(shown(), before, line)
            viewer.refused("reset", "gravity.softening=0.2", line)
            self.assertEqual(shown(), before, line)
            viewer.refused("scene", "name=plummer", "models.0.plummer.n=64", line)
            self.assertEqual(shown(), before, line)
        viewer.refused("reset", "models.0.plummer.n=5")
        viewer.refused("scene", "name=plummer", "models.0.plummer.n=1e9", "integrator.dt=1e-9")
        self.assertEqual(shown(), before)
        self.assertEqual(viewer.post("step")["step"], 11)
        viewer.post("quit")
        self.assertEqual(viewer.wait()[0], 0)

    def test_a_step_that_fails_is_told_and_mended(self):
        viewer = self.view()
        generation = viewer.state()["generation"]
        viewer.post("set", "integrator.dt=1e200")
        sentence = viewer.refused("step", "steps=5", status=500)
        self.assertIn("is no number any more", sentence)
        state = viewer.state()
        self.assertEqual((state["error"], state["paused"]), (sentence, True))
        for verb in ("resume", "step", "snapshot", "checkpoint"):
            self.assertIn("cannot go on", viewer.refused(verb))
        self.assertIn("cannot go on", viewer.refused("set", "integrator.dt=0.01"))
        self.assertEqual(viewer.state()["step"], state["step"])
        # With the parameters as they are it would fail again: others are given with the reset.
        self.assertEqual(viewer.post("reset", "integrator.dt=0.01")["step"], 0)
        state = viewer.state()
        self.assertEqual((state["error"], state["dt"]), (None, 0.01))
        self.assertGreater(state["generation"], generation)
        self.assertEqual(viewer.post("step", "steps=5")["step"], 5)

    def test_what_is_broken_can_be_reset(self):
        viewer = self.view()
        viewer.post("set", "integrator.dt=1e200")
        viewer.post("resume")
        while not viewer.state()["error"]:
            time.sleep(0.05)
        self.assertIn("is no number any more", viewer.state()["error"])
        self.assertIn("cannot go on", viewer.refused("resume"))
        viewer.post("scene", "name=two-body")
        self.assertIsNone(viewer.state()["error"])
        self.assertEqual(viewer.post("step")["step"], 1)

    def test_bodies_are_added_and_taken_out(self):
        viewer = self.view()
        viewer.post("step", "steps=3")
        before = viewer.state()
        first = viewer.get("/api/body?slot=0")["bodies"][0]
        reply = viewer.post("add", "position=1 -2 0.5", "velocity=0 0.25 0", "mass=0.5")
        self.assertEqual((reply["id"], reply["n"]), ("49", 49))
        body = viewer.get("/api/body?id=49")["bodies"][0]
        self.assertEqual((body["position"], body["velocity"], body["mass"], body["type"]),
                         ([1, -2, 0.5], [0, 0.25, 0], 0.5, 1))
        now = viewer.get("/api/body?slot=0")["bodies"][0]
        self.assertEqual(now["position"], first["position"])
        self.assertNotEqual(now["acceleration"], first["acceleration"])
        state = viewer.state()
        self.assertEqual((state["n"], state["step"], state["begun"]), (49, 3, before["begun"]))
        self.assertGreater(state["generation"], before["generation"])
        self.assertEqual(viewer.post("remove", "id=49")["n"], 48)
        self.assertEqual(viewer.get("/api/body?slot=0")["bodies"][0]["acceleration"],
                         first["acceleration"])
        self.assertEqual(read_frame(viewer.stream()).total, 48)
        self.assertIn("not there", viewer.refused("remove", "id=49", status=404))
        self.assertIn("position=x y z", viewer.refused("add", "mass=1"))
        self.assertIn("three numbers", viewer.refused("add", "position=1 2"))
        self.assertIn("already", viewer.refused("add", "position=1 2 3", "id=7"))
        self.assertIn("did you mean 'mass'", viewer.refused("add", "position=1 2 3", "mas=7"))
        self.assertEqual(viewer.post("step", "steps=2")["step"], 5)

    def test_bodies_that_merge_are_shown_where_they_are(self):
        rows = "\n".join(f"{x % 8},{x // 8 % 8},{x // 64},0,0,0,1,0.6" for x in range(256))
        self.write("packed.csv", "x,y,z,vx,vy,vz,mass,radius\n" + rows + "\n")
        self.write("packed.yaml", "units: nbody\nmodels: [file: {path: packed.csv}]\n"
                   "gravity: {method: tree, softening: 0.5}\n"
                   "collisions: {method: tree, outcome: merge}\n"
                   "integrator: {dt: 0.01}\nrun: {until: 10}\n")
        viewer = Viewer(self, "view", "packed.yaml", "--paused")
        before = viewer.state()
        stream = viewer.stream("/frames")
        self.assertEqual(read_frame(stream).total, 256)
        viewer.post("step", "steps=130")
        state = viewer.state()
        self.assertLess(state["slots"], 256)
        self.assertEqual(state["begun"], before["begun"])
        frame = read_frame(stream)
        while frame.step < 130:
            frame = read_frame(stream)
        self.assertEqual((frame.total, frame.generation > before["generation"]), (state["n"], True))
        bodies = viewer.get("/api/body?slot=0&count=256")["bodies"]
        self.assertEqual(len(bodies), state["n"])

    def test_scenes_and_their_fields_are_told(self):
        scenes = self.view().get("/api/scenes")
        names = {scene["name"]: scene for scene in scenes["scenes"]}
        self.assertIn("saturn-ring", names)
        self.assertEqual(names["two-body"]["values"]["models.0.two-body.eccentricity"], "0.6")
        self.assertEqual(names["saturn-ring"]["values"]["box.ghosts"], "[1, 1, 0]")
        sections = {section["name"] for section in scenes["reference"]["sections"]}
        self.assertLessEqual({"gravity", "integrator", "models"}, sections)

    def test_measurements_come_in_rows(self):
        viewer = self.view()
        viewer.post("step", "steps=50")
        series = viewer.get("/api/series")
        names = [column["name"] for column in series["columns"]]
        self.assertEqual(names[:2], ["step", "time"])
        self.assertLessEqual({"energy_error", "momentum_x", "virial"} - {"virial"}, set(names))
        self.assertEqual([row[0] for row in series["rows"]], [0, 10, 20, 30, 40, 50])
        self.assertTrue(all(len(row) == len(names) for row in series["rows"]))
        viewer.post("step", "steps=10")
        more = viewer.get(f"/api/series?epoch={series['epoch']}&from={series['next']}")
        self.assertEqual([row[0] for row in more["rows"]], [60])
        viewer.post("reset")
        again = viewer.get(f"/api/series?epoch={series['epoch']}&from={more['next']}")
        self.assertNotEqual(again["epoch"], series["epoch"])
        self.assertEqual(again["first"], 0)

    def test_kernels_are_timed_on_demand(self):
        viewer = self.view()
        viewer.post("profile")
        viewer.post("set", "run.until=1000")
        viewer.post("resume")
        while not viewer.state()["phases"]:
            time.sleep(0.1)
        phases = viewer.state()["phases"]
        self.assertGreater(phases["steps"], 0)
        self.assertTrue(any("force" in kernel["name"] for kernel in phases["kernels"]))

    def test_saved_files_hold_what_is_shown(self):
        viewer = self.view("--out", "kept")
        viewer.post("step", "steps=7")
        body = viewer.get("/api/body?id=17")["bodies"][0]
        self.assertEqual(viewer.post("snapshot")["file"], "saved_0000.hdf5")
        self.assertEqual(viewer.post("snapshot")["file"], "saved_0001.hdf5")
        self.assertEqual(viewer.post("checkpoint")["file"], "checkpoint_0000.hdf5")
        self.assertEqual(viewer.state()["saved"],
                         ["saved_0000.hdf5", "saved_0001.hdf5", "checkpoint_0000.hdf5"])
        row = self.body_in("kept/saved_0000.hdf5", "17")
        self.assertEqual(body["id"], "17")
        self.assertEqual(body["position"], [row["x"], row["y"], row["z"]])
        self.assertEqual(body["velocity"], [row["vx"], row["vy"], row["vz"]])
        self.assertEqual((body["mass"], body["radius"]), (row["mass"], row["radius"]))
        end = self.octant_lines("run", "--resume=kept/checkpoint_0000.hdf5", "--out", "none")[-1]
        straight = self.octant_lines("run", self.scene, "--out", "none")[-1]
        self.assertEqual(end["state_hash"], straight["state_hash"])

    def test_saving_replaces_nothing_that_a_run_wrote(self):
        self.octant("run", self.scene, "--out", "r", "--until", "0.3", "--quiet")
        files = {name: (self.folder / "r" / name).read_bytes() for name in self.listing("r")}
        self.write("r/checkpoint_0000.hdf5", "somebody's")
        (self.folder / "r/saved_0000.hdf5").symlink_to("nowhere")
        viewer = self.view("--out", "r")
        for number in (1, 2, 3):
            self.assertEqual(viewer.post("checkpoint")["file"], f"checkpoint_000{number}.hdf5")
            self.assertEqual(viewer.post("snapshot")["file"], f"saved_000{number}.hdf5")
            viewer.post("step")
        for name, content in files.items():
            self.assertEqual((self.folder / "r" / name).read_bytes(), content, name)
        self.assertEqual((self.folder / "r/checkpoint_0000.hdf5").read_text(), "somebody's")
        self.assertFalse((self.folder / "r/nowhere").exists())
        self.octant("run", "--resume", "--out", "r", "--until", "0.4", "--quiet")

    def test_spins_are_shown_where_bodies_have_them(self):
        self.assertNotIn("spin", self.view().get("/api/body?slot=0")["bodies"][0])
        self.write("spinning.csv", "mass,x,y,z,vx,vy,vz,radius,wx,wy,wz\n"
                                   "1,0,0,0,0,0,0,1,0.25,-2,3\n1,5,0,0,0,0,0,1,0,0,0\n")
        self.octant("convert", "spinning.csv", "spinning.hdf5", "--units", "nbody")
        viewer = Viewer(self, "view", "spinning.hdf5")
        bodies = viewer.get("/api/body?slot=0&count=2")["bodies"]
        self.assertEqual([body["spin"] for body in bodies], [[0.25, -2, 3], [0, 0, 0]])

    def test_bodies_are_found_by_id_and_place(self):
        viewer = self.view()
        self.assertEqual(len(viewer.get("/api/body?slot=40&count=256")["bodies"]), 8)
        self.assertEqual(viewer.get("/api/body?slot=3")["bodies"][0]["id"], "4")
        for query, status in (("id=49", 404), ("id=0", 404), ("slot=48", 404), ("", 400),
                              ("id=x", 400), ("id=1&slot=1", 400), ("slot=1&count=257", 400),
                              ("id=99999999999999999999", 400), ("id=%31", 400)):
            self.assertEqual(viewer.request("GET", f"/api/body?{query}")[0], status, query)


class Frames(ViewTest):
    def test_frames_show_where_bodies_are(self):
        viewer = self.view()
        frame = read_frame(viewer.stream())
        self.assertEqual((frame.count, frame.stride, frame.total, frame.step), (48, 1, 48, 0))
        for body in viewer.get("/api/body?slot=0&count=48")["bodies"]:
            shown = frame.position(body["slot"])
            for axis in range(3):
                step = (frame.high[axis] - frame.low[axis]) / 65534
                self.assertLess(abs(shown[axis] - body["position"][axis]), 0.51 * step)

    def test_each_step_is_shown_and_settings_act(self):
        viewer = self.view()
        stream = viewer.stream()
        first = read_frame(stream)
        viewer.post("step")
        self.assertEqual(read_frame(stream).step, first.step + 1)
        viewer.post("frame", "most=10", "colour=density", "box=-1 -1 -1 1 1 1")
        frame = read_frame(stream)
        self.assertEqual((frame.count, frame.stride), (10, 5))
        self.assertEqual((frame.low, frame.high), ((-1, -1, -1), (1, 1, 1)))
        self.assertEqual(viewer.state()["frame"]["colour"], "density")
        for bad in ("colour=red", "most=0", "box=1 2 3", "box=1 1 1 0 0 0", "rate=1000", "x=1"):
            viewer.refused("frame", bad)
        viewer.post("reset")
        self.assertGreater(read_frame(stream).generation, frame.generation)

    def test_at_rest_frames_are_repeated_on_request(self):
        viewer = self.view()
        stream = viewer.stream("/frames")
        start = time.monotonic()
        sequences = {read_frame(stream).sequence for _ in range(20)}
        self.assertEqual(len(sequences), 1)
        self.assertLess(time.monotonic() - start, 5)

    def test_a_slow_client_misses_frames_and_nobody_waits(self):
        viewer = self.view("--set", "models.0.plummer.n=20000", "--set", "gravity.method=tree",
                           "--set", "gravity.theta=1", "--set", "run.until=100")
        viewer.state()
        slow, quick = viewer.stream(), viewer.stream()
        viewer.post("frame", "share=1")
        first = read_frame(slow)
        viewer.post("resume")
        seen = [read_frame(quick).sequence for _ in range(60)]
        self.assertEqual(seen, sorted(seen))
        # What was on its way is whole; then comes the newest.
        late = [read_frame(slow).sequence for _ in range(40)]
        self.assertEqual(late, sorted(late))
        self.assertGreater(late[-1] - first.sequence, 40)


class Runs(ViewTest):
    def run_lines(self, viewer):
        status, out, _ = viewer.wait()
        self.assertEqual(status, 0)
        return [json.loads(line) for line in out.splitlines()]

    def test_a_run_that_is_watched_gives_the_same_bits(self):
        end = ["--until", "5", "--json"]
        alone = self.octant_lines("run", self.scene, "--out", "alone", *end)
        viewer = Viewer(self, "run", self.scene, "--out", "watched", "--view", *end)
        viewer.post("pause")
        stream = viewer.stream("/frames")
        viewer.post("frame", "share=1", "colour=density")
        for _ in range(5):
            read_frame(stream)
            viewer.get("/api/body?slot=1")
            viewer.post("step", "steps=7")
        viewer.post("resume")
        while read_frame(stream):
            pass
        watched = self.run_lines(viewer)
        self.assertEqual(alone[-1]["state_hash"], watched[-1]["state_hash"])
        self.assert_same_files("alone", "watched", self.listing("alone"))

    def test_a_run_listens_where_it_is_told(self):
        first = Viewer(self, "run", self.scene, "--out", "first", "--view")
        first.post("quit")
        self.assertEqual(first.wait()[0], 0)
        for words in (["--view", first.port], [f"--view={first.port}"]):
            again = Viewer(self, "run", self.scene, "--out", "again", "--force", *words)
            self.assertEqual(again.port, first.port)
            again.post("quit")
            self.assertEqual(again.wait()[0], 0)

    def test_a_run_is_steered_but_not_replaced(self):
        viewer = Viewer(self, "run", self.scene, "--until", "1000", "--out", "r", "--view", "0",
                        "--quiet")
        self.assertEqual(viewer.state()["mode"], "run")
        viewer.post("pause")
        for verb in ("reset", "scene", "seek"):
            self.assertIn("run with results", viewer.refused(verb, status=409))
        for key in ("integrator.dt", "run.until", "output.diagnostics"):
            sentence = viewer.refused("set", f"{key}=0.5")
            self.assertIn(key, sentence)
            self.assertIn("cannot be changed in a run with results", sentence)
            self.assertNotIn(key, viewer.state()["parameters"])
        self.assertIn("would change what the run measures",
                      viewer.refused("set", "collisions.method=direct"))
        viewer.post("set", "gravity.softening=0.1")
        step = viewer.post("step", "steps=2")["step"]
        text = (self.folder / "r/scene.yaml").read_text()
        self.assertIn("softening: 0.1", text)
        self.assertRegex(text, r"(?m)^# since step \d+, time \S+: "
                               r"gravity.softening is 0.1, not 0.05")
        viewer.post("quit")
        status, _, _ = viewer.wait()
        self.assertEqual(status, 0)
        self.assertIn("checkpoint.hdf5", self.listing("r"))
        lines = self.octant_lines("run", "--resume", "--out", "r", "--steps", step + 1)
        self.assertEqual(lines[-1]["step"], step + 1)


class Playback(ViewTest):
    def test_snapshots_of_a_run_are_scrubbed_through(self):
        self.octant("run", self.scene, "--out", "r", "--quiet")
        viewer = Viewer(self, "view", "r")
        state = viewer.state()
        self.assertEqual(state["files"], {"index": 0, "count": 5, "name": "snapshot_0000.hdf5",
                                          "faults": [], "unmeasured": None})
        self.assertEqual((state["mode"], state["n"]), ("files", 48))
        stream = viewer.stream()
        self.assertEqual(read_frame(stream).time, 0)
        reply = viewer.post("seek", "index=3")
        self.assertEqual((reply["step"], reply["time"]), (75, 0.75))
        self.assertEqual(read_frame(stream).step, 75)
        body = viewer.get("/api/body?id=9")["bodies"][0]
        row = self.body_in("r/snapshot_0003.hdf5", "9")
        self.assertEqual(body["position"], [row["x"], row["y"], row["z"]])
        self.assertLess(body["potential"], 0)
        self.assertEqual(viewer.post("step")["step"], 100)
        self.assertEqual(viewer.post("reset")["step"], 0)
        viewer.post("speed", "limit=100")
        viewer.post("resume")
        while not viewer.state()["paused"]:
            time.sleep(0.05)
        self.assertEqual(viewer.state()["files"]["index"], 4)
        series = viewer.get("/api/series")
        self.assertEqual(len(series["rows"]), 11)
        self.assertEqual(series["columns"][:2], [{"name": "step", "unit": "", "doc": ""},
                                                 {"name": "time", "unit": "time", "doc": ""}])
        self.assertEqual(len(series["columns"]), len(series["rows"][0]))
        self.assertIn("index", viewer.refused("seek", "index=5"))
        for verb in ("set", "scene", "snapshot"):
            viewer.refused(verb, status=409)

    def test_what_cannot_be_read_is_left_out(self):
        self.octant("run", self.scene, "--out", "r", "--quiet")
        folder = self.folder / "r"
        (folder / "snapshot_0000.hdf5").write_bytes(b"")
        (folder / "snapshot_0001.csv").write_text("id,mass\n1\n")
        (folder / "snapshot_0005.csv").write_text("no bodies\n")
        table = folder / "diagnostics.csv"
        table.write_text(table.read_text() + "1,2\n")
        viewer = Viewer(self, "view", "r")
        files = viewer.state()["files"]
        self.assertEqual((files["index"], files["count"], files["name"]),
                         (2, 7, "snapshot_0001.hdf5"))
        self.assertEqual([fault["name"] for fault in files["faults"]],
                         ["snapshot_0000.hdf5", "snapshot_0001.csv"])
        self.assertIn("snapshot_0001.csv", files["faults"][1]["error"])
        self.assertIn("columns", files["unmeasured"])
        self.assertEqual(viewer.get("/api/series")["rows"], [])
        self.assertIn("snapshot_0000.hdf5", viewer.refused("seek", "index=0"))
        self.assertEqual(viewer.state()["files"], files)
        self.assertEqual(viewer.post("seek", "index=4")["step"], 75)
        viewer.refused("seek", "index=6")
        viewer.post("speed", "limit=100")
        viewer.post("resume")
        while not viewer.state()["paused"]:
            time.sleep(0.05)
        files = viewer.state()["files"]
        self.assertEqual((files["name"], [fault["index"] for fault in files["faults"]]),
                         ("snapshot_0004.hdf5", [0, 1, 6]))
        self.assertEqual(viewer.post("reset")["step"], 25)
        self.assertEqual(viewer.post("step")["step"], 50)
        # A file that has come to be whole is shown.
        (folder / "snapshot_0000.hdf5").write_bytes((folder / "snapshot_0002.hdf5").read_bytes())
        self.assertEqual(viewer.post("seek", "index=0")["step"], 50)
        self.assertEqual([fault["index"] for fault in viewer.state()["files"]["faults"]], [1, 6])
        viewer.post("quit")
        self.assertEqual(viewer.wait()[0], 0)
        for name in self.listing("r"):
            (folder / name).write_bytes(b"")
        self.assertIn("snapshot_0000.hdf5", self.refused("view", "r"))

    def test_a_file_of_another_kind_is_shown(self):
        self.write("two.csv", "id,mass,x,y,z,vx,vy,vz\n5,1,0,0,0,0,0,0\n8,2,1,0,0,0,1,0\n")
        viewer = Viewer(self, "view", "two.csv")
        self.assertEqual(viewer.state()["n"], 2)
        self.assertEqual(viewer.get("/api/body?id=8")["bodies"][0]["mass"], 2)
        self.assertEqual(read_frame(viewer.stream()).count, 2)
        self.write("three.csv", "# units: km, g, h\nmass,x,y,z,vx,vy,vz\n5,7,0,0,0,0,0\n")
        other = Viewer(self, "view", "three.csv")
        self.assertEqual(other.get("/api/body?id=1")["bodies"][0]["mass"], 0.005)
        (self.folder / "empty").mkdir()
        self.assertIn("no snapshots", self.refused("view", "empty"))
        self.assertIn("nothing.hdf5", self.refused("view", "nothing.hdf5"))


if __name__ == "__main__":
    unittest.main()
