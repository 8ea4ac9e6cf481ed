"""The widget of notebooks: frames from NumPy, and the viewer's renderer in a real browser."""

import base64
import http.server
import json
import os
import pathlib
import shutil
import struct
import sys
import threading
import time
import unittest
from unittest import mock

import numpy as np

from support import PythonTest, octant

from octant import _frames

try:
    from octant import widget
except ImportError:
    widget = None
CHROMIUM = shutil.which("chromium")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None
NO_BROWSER = not (widget and CHROMIUM and sync_playwright)
if NO_BROWSER and os.environ.get("OCTANT_REQUIRE_BROWSER"):
    raise RuntimeError("anywidget, chromium and playwright are needed here")

# WebGL2 without a graphics card; chromium's own sandbox does not work for root.
ARGUMENTS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--ignore-gpu-blocklist", "--no-sandbox"]  # fmt: skip

# A model as Jupyter gives one to a widget, with what was sent and a way to change it.
PAGE = """<!doctype html><body style="margin:0;width:600px"><div id="cell"></div>
<script type="module">
import widget from "/widget.js";
const values = await (await fetch("/values")).json(), listeners = {};
const bytes = text => new DataView(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
values.frame = bytes(values.frame);
window.sent = [];
const model = {
    get: name => values[name],
    on: (name, action) => { (listeners[name] ??= []).push(action); },
    off: (name, action) => { listeners[name] = listeners[name].filter(l => l !== action); },
    send: content => sent.push(content),
};
window.change = (name, value) => {
    values[name] = name === "frame" ? bytes(value) : value;
    for (const action of listeners[`change:${name}`] ?? [])
        action();
};
window.listening = () => Object.values(listeners).flat().length;
window.end = widget.render({model, el: document.getElementById("cell")});
window.ready = true;
</script>"""
READ_PICTURE = """() => {
    const stage = document.querySelector("canvas"), copy = document.createElement("canvas");
    stage.octant.renderer.draw();
    copy.width = stage.width;
    copy.height = stage.height;
    const pen = copy.getContext("2d");
    pen.drawImage(stage, 0, 0);
    const {data} = pen.getImageData(0, 0, copy.width, copy.height);
    let text = "";
    for (let i = 0; i < data.length; i += 3e4)
        text += String.fromCharCode(...data.subarray(i, i + 3e4));
    return [copy.width, copy.height, btoa(text)];
}"""


def places():
    """Four bodies at known places."""
    return np.array([[-1, -1, 0], [1, -1, 0], [-1, 1, 0], [0.5, 0.25, 0]])


class Frames(PythonTest):
    def read(self, data):
        """What a frame says, by the table of docs/viewer.md."""
        (count,) = struct.unpack_from("<I", data, 32)
        low, high = (np.array(struct.unpack_from("<3d", data, at)) for at in (48, 72))
        numbers = np.frombuffer(data, "<u2", 4 * count, 192).reshape(-1, 4)
        shades = np.frombuffer(data, np.uint8, count, 192 + 8 * count)
        return low + numbers[:, :3] / 65534 * (high - low), numbers[:, 3], shades, (high - low)

    def test_bodies_are_right_to_half_a_step(self):
        sim = self.small()
        sim.bodies.radius = np.linspace(0, 0.2, 48)
        sim.step(3)
        data = _frames.cut(sim, 7, "mass", 10**6)
        position, radius, _, size = self.read(data)
        self.assertLessEqual(np.abs(position - sim.bodies.position).max(), size.max() / 65534 / 2)
        (unit,) = struct.unpack_from("<d", data, 96)
        np.testing.assert_allclose(radius * unit, sim.bodies.radius, atol=0.51 * unit)
        self.assertEqual(struct.unpack_from("<4sHHQQd", data), (b"OCTF", 1, 192, 7, 3, sim.time))
        self.assertEqual(struct.unpack_from("<I", data, 124)[0], len(data) - 192)
        self.assertEqual(len(data) % 8, 0)

    def test_many_are_thinned_and_those_outside_are_left_out(self):
        sim = self.small()
        data = _frames.cut(sim, 1, "id", 20)
        self.assertEqual(struct.unpack_from("<IIQ", data, 32), (16, 3, 48))
        box = octant.Simulation(
            position=[[0, 0, 0], [9, 0, 0]], units="nbody", integrator={"dt": 0.1}, gravity="none",
            box={"boundary": "periodic", "size": [4, 4, 4]},
        )  # fmt: skip
        numbers = np.frombuffer(_frames.cut(box, 1, "none", 10), "<u2", 8, 192).reshape(2, 4)
        wrapped = np.abs(box.bodies.position[:, 0]) <= 2
        np.testing.assert_array_equal(numbers[:, 0] == 65535, ~wrapped)

    def test_one_body_is_in_the_middle(self):
        sim = octant.Simulation(
            position=[[1, 0, -3e9]], units="nbody", gravity="none", integrator={"dt": 0.01}
        )
        numbers = np.frombuffer(_frames.cut(sim, 1, "speed", 100), "<u2", 3, 192)
        self.assertEqual(list(numbers), [32767] * 3)

    def test_where_all_bodies_have_left(self):
        sim = octant.Simulation(
            position=[[0, 9.9, 0]], velocity=[[0, 50, 0]], units="nbody", gravity="none",
            integrator={"dt": 0.01}, box={"removal_radius": 10},
        )  # fmt: skip
        sim.step()
        data = _frames.cut(sim, 1, "speed", 100)
        self.assertEqual((len(data), struct.unpack_from("<IIQ", data, 32)), (192, (0, 1, 0)))

    def test_images_move_with_the_shear(self):
        sim = octant.Simulation("saturn-ring", set={"box.size": [50, 60, 50]})
        sim.step(30)
        data = _frames.cut(sim, 1, "speed", 10**6)
        image = struct.unpack_from("<3d", data, 136)
        shift = 1.5 * 1.3143527e-4 * 50 * sim.time
        self.assertAlmostEqual(image[0], 50)
        self.assertAlmostEqual((image[1] + shift) % 60, 0, 9)
        self.assertEqual(data[122], 2)

    def test_colours(self):
        sim = self.small()
        for colour in _frames.COLOURS:
            self.assertEqual(_frames.cut(sim, 1, colour, 100)[120], _frames.COLOURS.index(colour))
        *_, shades, _ = self.read(_frames.cut(sim, 1, "speed", 100))
        speed = np.linalg.norm(sim.bodies.velocity, axis=1)
        self.assertGreater(np.corrcoef(shades, speed)[0, 1], 0.99)
        with self.assertRaisesRegex(octant.InputError, "'warmth' is no colour"):
            _frames.cut(sim, 1, "warmth", 100)

    def test_without_anywidget_it_says_what_to_install(self):
        missing = {"anywidget": None, "octant.widget": None}
        with mock.patch.dict(sys.modules, missing):
            del sys.modules["octant.widget"]
            with self.assertRaisesRegex(ImportError, r"pip install 'octant\[notebook\]'"):
                self.small().widget()


@unittest.skipIf(widget is None, "anywidget, which comes from PyPI, is not installed")
class Widgets(PythonTest):
    def test_it_follows_runs_and_changes_no_bit(self):
        sim, plain = self.small(), self.small()
        view = sim.widget(colour="mass")
        first = view.frame
        with mock.patch.object(widget, "INTERVAL_S", 0), mock.patch.object(widget, "SHARE", 1e9):
            seen = []
            view.observe(lambda change: seen.append(struct.unpack_from("<Q", change.new, 16)[0]),
                         "frame")  # fmt: skip
            sim.call(lambda s: None, steps=10)
            sim.run()
        self.assertGreater(len(seen), 5)
        self.assertEqual(seen, sorted(seen))
        view.update()
        self.assertNotEqual(view.frame, first)
        plain.step(100)
        self.assertEqual(sim.state_hash, plain.state_hash)

    def test_play_and_pause(self):
        sim = self.small()
        view = sim.widget()
        view._hear(view, {"ask": "play"})
        self.assertTrue(view.running)
        with self.assertRaises(octant.BusyError):
            sim.step()
        deadline = time.monotonic() + 60
        while struct.unpack_from("<Q", view.frame, 16)[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.01)
        view._hear(view, {"ask": "pause"})
        self.assertFalse(view.running)
        self.assertGreater(sim.steps, 0)
        plain = self.small()
        plain.step(sim.steps)
        self.assertEqual(sim.state_hash, plain.state_hash)
        self.assertEqual(struct.unpack_from("<Q", view.frame, 16)[0], sim.steps)
        view._hear(view, {"ask": "nonsense"})
        view._hear(view, None)

    def test_it_is_given_back(self):
        sim = self.small()
        view = sim.widget()
        view.close()
        del view
        import gc

        gc.collect()
        self.assertEqual(len(sim._onlookers), 0)


@unittest.skipIf(NO_BROWSER, "anywidget, chromium and playwright are needed here")
class Page(PythonTest):
    def serve(self, view):
        values = {name: getattr(view, name) for name in ("about", "look", "height", "running")}
        values["frame"] = base64.b64encode(view.frame).decode()
        files = {
            "/": ("text/html", PAGE),
            "/widget.js": ("text/javascript", view._esm),
            "/values": ("application/json", json.dumps(values)),
        }

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                kind, text = files.get(self.path, ("text/plain", ""))
                self.send_response(200)
                self.send_header("Content-Type", f"{kind}; charset=utf-8")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}/"

    def open(self, view):
        play = sync_playwright().start()
        self.addCleanup(play.stop)
        browser = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        self.addCleanup(browser.close)
        page = browser.new_page(viewport={"width": 640, "height": 520})
        self.complaints = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.serve(view))
        page.wait_for_function("window.ready", timeout=60000)
        return page

    def picture(self, page):
        width, height, data = page.evaluate(READ_PICTURE)
        flat = np.frombuffer(base64.b64decode(data), np.uint8)
        return flat.reshape(height, width, 4)[..., :3].max(axis=2)

    def expected(self, page, position):
        """Where places are in the picture seen from above."""
        target, unit, centre = page.evaluate(
            "(c => [c.target, c.unitsPerPixel, c.centre])"
            "(document.querySelector('canvas').octant.camera)"
        )
        return [
            (centre[0] + (x - target[0]) / unit, centre[1] - (y - target[1]) / unit)
            for x, y, _ in position
        ]

    def found(self, bright, x, y):
        """The middle of what shines around a place."""
        left, top = round(x) - 10, round(y) - 10
        part = np.where(bright[top : top + 20, left : left + 20] > 60, 1, 0)
        self.assertGreater(part.sum(), 0, "nothing is where a body should be")
        rows, columns = np.indices(part.shape) + 0.5
        return (columns * part).sum() / part.sum() + left, (rows * part).sum() / part.sum() + top

    def test_bodies_are_where_they_should_be_and_move(self):
        sim = octant.Simulation(
            title="Four", position=places(), mass=1, units="nbody", gravity="none",
            integrator={"dt": 0.1},
        )  # fmt: skip
        view = sim.widget(colour="none", grid=False, box=False, ortho=True)
        page = self.open(view)
        for shift in (0, 0.3):
            if shift:
                sim.bodies.position = places() + [shift, 0, 0]
                sim.step(2)
                view.update()
                page.evaluate(f"change('frame', '{base64.b64encode(view.frame).decode()}')")
            bright = self.picture(page)
            for x, y in self.expected(page, places() + [shift, 0, 0]):
                column, row = self.found(bright, x, y)
                self.assertAlmostEqual(column, x, delta=1)
                self.assertAlmostEqual(row, y, delta=1)
        words = page.inner_text("#cell")
        self.assertIn("Four", words)
        self.assertIn("4 bodies · step 2", words)
        page.click("button >> nth=0")
        self.assertEqual(page.evaluate("sent"), [{"ask": "play"}])
        page.evaluate("change('running', true)")
        self.assertEqual(page.inner_text("button >> nth=0"), "⏸")
        before = self.picture(page)
        page.click("button >> nth=1")
        self.assertEqual(page.inner_text("button >> nth=1"), "spheres")
        self.assertTrue((before != self.picture(page)).any())
        page.evaluate("end()")
        self.assertEqual(page.evaluate("listening()"), 0)
        self.assertEqual(self.complaints, [])
        shown = os.environ.get("OCTANT_PICTURES")
        if shown:
            page.screenshot(path=str(pathlib.Path(shown, "widget.png")))


if __name__ == "__main__":
    unittest.main()
