"""The viewer's page in a real browser: Debian's chromium, driven by Playwright."""

import base64
import os
import pathlib
import shutil
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from octant_cli import OctantTest  # noqa: E402
from octant_view import Viewer  # noqa: E402

CHROMIUM = shutil.which("chromium")
try:
    import numpy as np
    from playwright.sync_api import sync_playwright
    MISSING = "" if CHROMIUM else "there is no chromium here"
except ImportError as error:
    np = None
    MISSING = f"numpy and playwright are needed here ({error})"
if MISSING:
    if os.environ.get("OCTANT_REQUIRE_BROWSER"):
        raise RuntimeError(MISSING)
    print(f"NOT TESTED: {MISSING}", file=sys.stderr)

# WebGL2 without a graphics card; chromium's own sandbox does not work for root.
ARGUMENTS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
             "--ignore-gpu-blocklist", "--no-sandbox"]

# The picture as it is drawn now, as RGB bytes in base64.
READ_PICTURE = """() => {
    const stage = document.getElementById("stage"), copy = document.createElement("canvas");
    octant.renderer.draw();
    copy.width = stage.width;
    copy.height = stage.height;
    const pen = copy.getContext("2d");
    pen.drawImage(stage, 0, 0);
    const {data} = pen.getImageData(0, 0, copy.width, copy.height);
    const rgb = new Uint8Array(data.length / 4 * 3);
    for (let i = 0, k = 0; i < data.length; i += 4)
        for (let c = 0; c < 3; c++)
            rgb[k++] = data[i + c];
    let text = "";
    for (let i = 0; i < rgb.length; i += 3e4)
        text += String.fromCharCode(...rgb.subarray(i, i + 3e4));
    return [copy.width, copy.height, btoa(text)];
}"""


class Tunnel:
    """Passes connections on to a viewer, as ssh -L does, and can break and be mended."""

    def __init__(self, test, viewer):
        self.viewer = viewer
        self.ends = []
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        # Requests must name the viewer's port; names of one length keep everything in place.
        self.names = [f"127.0.0.1:{port}".encode() for port in (self.port, viewer.port)]
        assert len(self.names[0]) == len(self.names[1])
        test.addCleanup(self.cut)
        self.mend()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/#token={self.viewer.token}"

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        """Closes everything, as if the network were gone."""
        for end in [self.listener, *self.ends]:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
        self.ends.clear()

    def _accept(self, listener):
        while True:
            try:
                client = listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self.viewer.port))
            except OSError:
                return
            self.ends += [client, server]
            threading.Thread(target=self._pass, args=(client, server, *self.names),
                             daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, b"", b""),
                             daemon=True).start()

    @staticmethod
    def _pass(source, sink, old, new):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data.replace(old, new) if old else data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass


@unittest.skipIf(MISSING, MISSING)
class PageTest(OctantTest):
    """A test with a browser, and a page for each viewer that it opens."""

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = cls.playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        cls.addClassCleanup(cls.browser.close)

    def run(self, result=None):
        """On a busy machine a browser may miss its moment: what fails is tried once more."""
        trial = unittest.TestResult()
        super().run(trial)
        if not trial.wasSuccessful():
            print(f"once more: {self.id()}\n{(trial.failures + trial.errors)[0][1]}",
                  file=sys.stderr)
            return super().run(result)
        result.startTest(self)
        if trial.skipped:
            result.addSkip(self, trial.skipped[0][1])
        else:
            result.addSuccess(self)
        result.stopTest(self)
        return result

    def view(self, *arguments, width=800, height=600):
        """Starts a viewer and opens its page; returns both."""
        viewer = Viewer(self, "view", *arguments)
        return viewer, self.open(f"http://{viewer.host}/#token={viewer.token}", width, height)

    def open(self, url, width=800, height=600):
        context = self.browser.new_context(viewport={"width": width, "height": height},
                                           accept_downloads=True)
        self.addCleanup(context.close)
        page = context.new_page()
        self.complaints = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: message.type in ("error", "warning") and
                self.complaints.append(message.text))
        page.goto(url)
        self.until(page, "octant.app.frame && octant.renderer.drawn > 1")
        return page

    def until(self, page, condition, seconds=30):
        """Waits until an expression is true in the page. (The page lets no strings be run as
        programs, so Playwright's own way of waiting does not work.)"""
        deadline = time.monotonic() + seconds
        while not page.evaluate(f"Boolean(window.octant) && Boolean({condition})"):
            self.assertLess(time.monotonic(), deadline,
                            f"this never came true: {condition}; {self.complaints}")
            time.sleep(0.05)

    def shows(self, page, selector, text, seconds=30):
        """Waits until an element's text holds this one: frames and states come apart."""
        deadline = time.monotonic() + seconds
        while text not in (shown := page.inner_text(selector)):
            self.assertLess(time.monotonic(), deadline,
                            f"{selector} never showed {text!r}, but {shown!r}; {self.complaints}")
            time.sleep(0.05)

    def settle(self, page):
        """Waits until the page shows what the server has."""
        page.evaluate("octant.actions.refresh()")
        self.until(page, "octant.app.frame.step === octant.app.state.step && "
                         "octant.app.frame.generation === octant.app.state.generation")

    def bare(self, page, **look):
        """Bodies alone, from above, without perspective."""
        page.evaluate("""look => {
            for (const [key, value] of Object.entries({grid: false, box: false, axes: false,
                                                       orbits: false, trails: false,
                                                       ortho: true, ...look}))
                octant.app.set(key, value);
            octant.actions.lookAlong("z");
        }""", look)

    def picture(self, page):
        """Height × width × RGB."""
        width, height, text = page.evaluate(READ_PICTURE)
        flat = np.frombuffer(base64.b64decode(text), dtype=np.uint8)
        return flat.reshape(height, width, 3).astype(int)

    def place(self, page, position):
        """Where a place is in the picture seen from above: columns and rows in pixels."""
        target, unit, (cx, cy) = page.evaluate(
            "[octant.camera.target, octant.camera.unitsPerPixel, octant.camera.centre]")
        return (cx + (position[0] - target[0]) / unit, cy - (position[1] - target[1]) / unit)
