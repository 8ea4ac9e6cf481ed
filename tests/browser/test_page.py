"""What a user sees and does in the viewer's page."""

import csv
import math
import unittest

from octant_page import PageTest, Tunnel, Viewer, np

# Four bodies at known places, three of them with one radius.
FOUR = """\
id,x,y,z,vx,vy,vz,mass,radius
11,-1,-1,0,0,0,0,1,0.1
12,1,-1,0,0,0,0,1,0.1
13,-1,1,0,0,0,0,1,0.1
14,0.5,0.25,0,0,0,0,4,0.2
"""
PLACES = [(-1, -1), (1, -1), (-1, 1), (0.5, 0.25)]
BACKGROUND = [7, 9, 13]
DARK = 20

TREE = """\
title: A small tree
seed: 3
units: nbody
models:
  - plummer: {n: 600}
gravity: {method: tree, theta: 0.5, softening: 0.05}
integrator: {method: leapfrog, dt: 0.01}
run: {until: 1e5}
output: {diagnostics: 0.05}
"""

RING = """\
title: A small ring
units: si
box: {boundary: shear, size: [100 m, 100 m, 40 m], ghosts: [1, 1, 0], omega: 1.3143527e-4 /s}
models:
  - ring: {n: 150, density: 400 kg/m^3, radius: {law: fixed, value: 2 m}, spread: 1 m}
gravity: {method: none}
integrator: {method: sei, dt: 1e-3 orbit}
run: {until: 1 orbit}
output: {diagnostics: 0.1 orbit}
"""


class Drawing(PageTest):
    def four(self):
        self.write("four.csv", FOUR)
        self.viewer, page = self.view("four.csv")
        self.bare(page)
        return page

    def colour_by(self, page, name):
        self.viewer.post("frame", f"colour={name}")
        self.until(page, f"octant.app.frame.colour === '{name}'")

    def test_bodies_are_where_they_should_be(self):
        page = self.four()
        bright = self.picture(page).max(axis=2)
        found = np.zeros_like(bright)
        for position in PLACES:
            x, y = self.place(page, position)
            left, top = round(x) - 12, round(y) - 12
            part = np.where(bright[top:top + 24, left:left + 24] > DARK,
                            bright[top:top + 24, left:left + 24], 0)
            found[top:top + 24, left:left + 24] = part
            rows, columns = np.indices(part.shape) + 0.5
            # seen: 0.023 pixels
            self.assertAlmostEqual((columns * part).sum() / part.sum() + left, x, delta=0.2)
            self.assertAlmostEqual((rows * part).sum() / part.sum() + top, y, delta=0.2)
        # and nothing is anywhere else
        self.assertEqual((bright > DARK).sum(), (found > DARK).sum())
        self.assertEqual(self.complaints, [])

    def test_spheres_have_their_true_radius(self):
        page = self.four()
        self.colour_by(page, "none")
        points = self.picture(page)
        self.bare(page, mode="spheres")
        self.assertTrue((points != self.picture(page)).any())
        # From nearby, since the rim is soft over a pixel.
        page.evaluate("octant.camera.target = [0.5, 0.25, 0]; octant.camera.zoom(3)")
        radius = 0.2 / page.evaluate("octant.camera.unitsPerPixel")
        area = (self.picture(page).max(axis=2) > DARK).sum()
        self.assertAlmostEqual(area / (math.pi * radius ** 2), 1, delta=0.01)  # seen: 1.006

    def test_colours_are_those_of_the_map(self):
        page = self.four()
        self.colour_by(page, "mass")
        x, y = self.place(page, PLACES[3])
        seen = []
        for name in ("lagoon", "ember", "frost"):
            self.bare(page, map=name, size=3)
            top = page.evaluate(
                f"import('./colours.js').then(m => m.mapColour('{name}', 1))")
            colour = self.picture(page)[int(y), int(x)]
            # Points let a tenth of the ground through.
            wanted = [0.9 * c + 0.1 * b for c, b in zip(top, BACKGROUND)]
            np.testing.assert_allclose(colour, wanted, atol=2)  # seen: 0.5
            seen.append(tuple(colour))
        self.assertEqual(len(set(seen)), 3)

    def test_density_adds_up(self):
        # Two bodies in one place are brighter than one, and less than twice as bright.
        self.write("pair.csv", "id,x,y,z,vx,vy,vz,mass\n1,-1,0,0,0,0,0,1\n2,1,0,0,0,0,0,1\n"
                               "3,1,0,0,0,0,0,1\n")
        _, page = self.view("pair.csv")
        self.bare(page, mode="density", brightness=0.008)
        bright = self.picture(page).sum(axis=2) - sum(BACKGROUND)
        one, two = (bright[int(y), int(x)] for x, y in
                    (self.place(page, (-1, 0)), self.place(page, (1, 0))))
        self.assertGreater(one, 30)  # seen: 60
        self.assertGreater(two, 1.1 * one)  # seen: 1.4
        self.assertLess(two, 2 * one)

    def test_ghost_boxes_are_the_box_again(self):
        self.write("ring.yaml", RING)
        viewer, page = self.view("ring.yaml", "--paused")
        viewer.post("step", "steps=100")
        self.settle(page)
        image = page.evaluate("octant.app.frame.image")
        self.assertEqual(image[0], 100)
        self.assertNotAlmostEqual(image[1] % 100, 0, delta=1)  # sheared
        self.bare(page, mode="spheres", ghosts=True, brightness=2.5)
        page.evaluate("octant.camera.zoom(0.45)")
        bright = self.picture(page).max(axis=2) > DARK
        unit = page.evaluate("octant.camera.unitsPerPixel")
        # The image in +x is the same picture, moved; images are a little dimmer, not gone.
        x, y = self.place(page, (0, 0))
        reach = int(30 / unit)
        own = bright[int(y) - reach:int(y) + reach, int(x) - reach:int(x) + reach]
        dx, dy = image[0] / unit, -image[1] / unit
        ghost = bright[round(y + dy) - reach:round(y + dy) + reach,
                       round(x + dx) - reach:round(x + dx) + reach]
        self.assertEqual(own.shape, ghost.shape)
        self.assertGreater(own.sum(), 200)
        same = (own & ghost).sum() / own.sum()
        self.assertGreater(same, 0.8)  # seen: 0.99

    def test_scale_bar_is_as_long_as_it_says(self):
        page = self.four()
        self.until(page, "document.getElementById('bar-text').textContent !== ''")
        pixels = page.evaluate("document.getElementById('bar').getBoundingClientRect().width")
        unit = page.evaluate("octant.camera.unitsPerPixel")
        self.assertAlmostEqual(pixels * unit, float(page.inner_text("#bar-text")), delta=2 * unit)

    def test_a_small_screen_has_place_for_everything(self):
        self.write("tree.yaml", TREE)
        _, page = self.view("tree.yaml", "--paused", width=360, height=740)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        for name in ("#play", "#step", "#reset", "#speed", "#tab-help", "#tab-charts", "#bar"):
            box = page.locator(name).bounding_box()
            self.assertGreaterEqual(box["x"], 0, name)
            self.assertLessEqual(box["x"] + box["width"], 360, name)
        for name in ("charts", "look", "tune", "scenes", "save", "help"):
            page.click(f"#tab-{name}")
            box = page.locator(f"#panel-{name}").bounding_box()
            self.assertLessEqual(box["x"] + box["width"], 360, name)
            self.assertEqual(page.locator(".panel:visible").count(), 1)


class Control(PageTest):
    def tree(self, *options):
        self.write("tree.yaml", TREE)
        return self.view("tree.yaml", *options)

    def test_page_connects_and_keeps_its_token(self):
        viewer, page = self.tree("--paused")
        self.shows(page, "#title", "A small tree")
        self.shows(page, "#steps", "step 0")
        self.assertNotIn(viewer.token, page.url)
        self.assertEqual(page.evaluate("Object.values(localStorage).join().includes('" +
                                       viewer.token + "')"), False)
        hosts = []
        page.on("request", lambda request: hosts.append(request.url.split("/")[2]))
        page.reload()
        self.until(page, "octant.app.frame && octant.app.link === 'up'")
        self.assertEqual(set(hosts), {viewer.host})
        self.assertEqual(self.complaints, [])

    def test_start_pause_step_reset(self):
        viewer, page = self.tree("--paused")
        page.click("#play")
        self.until(page, "octant.app.frame.step > 5 && !octant.app.state.paused")
        page.keyboard.press("Space")
        self.until(page, "octant.app.state.paused")
        rested = viewer.state()["step"]
        page.click("#step")
        self.until(page, f"octant.app.frame.step === {rested + 1}")
        page.keyboard.press("PageDown")
        self.until(page, f"octant.app.frame.step === {rested + 51}")
        self.assertEqual(viewer.state()["step"], rested + 51)
        page.click("#reset")
        self.until(page, "octant.app.frame.step === 0")
        page.select_option("#speed", "20")
        self.until(page, "octant.app.state.speed === 20")

    def test_theta_changes_on_the_way(self):
        viewer, page = self.tree()
        self.until(page, "octant.app.state.step_ms")
        page.click("#tab-tune")
        theta = page.locator("[data-key='gravity.theta'] input")
        theta.fill("0.8")
        theta.press("Enter")
        self.until(page, "octant.app.state.parameters['gravity.theta'] === '0.8'")
        self.assertEqual(viewer.state()["parameters"]["gravity.theta"], "0.8")
        self.until(page, "document.getElementById('cost').textContent.includes('ms now')")
        self.shows(page, "#cost", "gravity.theta")
        # What is wrong is said where it was typed, by the page or by the server.
        for wrong in ("7", "three"):
            theta.fill(wrong)
            theta.press("Enter")
            fault = page.locator("[data-key='gravity.theta'] .fault")
            fault.wait_for(state="visible", timeout=5000)
            self.assertGreater(len(fault.inner_text()), 10)
        self.assertEqual(viewer.state()["parameters"]["gravity.theta"], "0.8")

    def test_a_failed_step_is_told_and_mended(self):
        viewer, page = self.tree("--paused")
        self.assertFalse(page.locator("#fault").is_visible())
        viewer.post("set", "integrator.dt=1e200")
        page.click("#step")
        self.until(page, "octant.app.state.error")
        fault = page.locator("#fault")
        fault.wait_for(state="visible", timeout=5000)
        self.assertIn("is no number any more", fault.inner_text())
        self.assertIn("cannot go on", fault.inner_text())
        for button in ("#play", "#step"):
            self.assertTrue(page.locator(button).is_disabled())
        # The same again with the same step; with another one, typed where it was, it goes on.
        page.click("#again")
        fault.wait_for(state="hidden", timeout=5000)
        page.click("#step")
        fault.wait_for(state="visible", timeout=5000)
        page.click("#tab-tune")
        step = page.locator("[data-key='integrator.dt'] input")
        step.fill("0.01")
        step.press("Enter")
        fault.wait_for(state="hidden", timeout=5000)
        self.assertEqual(viewer.state()["dt"], 0.01)
        page.click("#step")
        self.until(page, "octant.app.frame.step === 1")

    def test_method_changes_on_the_way(self):
        viewer, page = self.tree("--paused")
        page.click("#tab-tune")
        page.locator("[data-key='gravity.method'] select").select_option("direct")
        self.until(page, "octant.app.state.parameters['gravity.method'] === 'direct'")
        page.locator("[data-key='gravity.theta']").wait_for(state="detached", timeout=5000)
        self.assertEqual(viewer.state()["parameters"]["gravity.softening"], "0.05")

    def test_scene_from_a_form(self):
        viewer, page = self.tree("--paused")
        page.click("#tab-scenes")
        page.click(".card:has(strong:text-is('plummer'))")
        form = page.locator("#panel-scenes form")
        form.locator("[data-key='models.0.plummer.n'] input").fill("321")
        form.locator("[data-part='gravity'] summary").click()
        form.locator("[data-key='gravity.method'] select").select_option("tree")
        softening = form.locator("[data-key='gravity.softening'] input")
        self.assertEqual(softening.input_value(), "0.01")  # which both methods have
        form.locator("[data-key='gravity.theta'] input").fill("0.75")
        form.locator("text=Begin").click()
        self.until(page, "octant.app.frame.count === 321 && octant.app.state.scene === 'plummer'")
        state = viewer.state()
        self.assertEqual((state["n"], state["paused"]), (321, True))
        self.assertEqual((state["parameters"]["gravity.theta"],
                          state["parameters"]["gravity.softening"]), ("0.75", "0.01"))
        self.shows(page, "#title", "A Plummer sphere in equilibrium")

    def test_picked_body_is_that_of_the_snapshot(self):
        viewer, page = self.tree("--paused")
        viewer.post("step", "steps=3")
        self.settle(page)
        self.bare(page)
        page.click("#tab-save")
        page.click("#panel-save >> text=Snapshot")
        self.until(page, "octant.app.state.saved.length === 1")
        page.keyboard.press("Escape")
        self.octant("convert", "octant-view/saved_0000.hdf5", "saved.csv")
        with open(self.folder / "saved.csv", newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        ids, masses = [row["id"] for row in rows], [float(row["mass"]) for row in rows]
        places, speeds = (np.array([[float(row[name]) for name in names] for row in rows])
                          for names in (("x", "y", "z"), ("vx", "vy", "vz")))
        # One that stands alone: the outermost that is in the picture.
        x, y = self.place(page, places.T)
        inside = (x > 50) & (x < 750) & (y > 100) & (y < 500)
        k = np.argmax(np.where(inside, np.hypot(places[:, 0], places[:, 1]), 0))
        page.mouse.click(x[k], y[k])
        self.until(page, "octant.app.picked?.body")
        body = page.evaluate("octant.app.picked.body")
        self.assertEqual(body["id"], ids[k])
        self.assertEqual(body["mass"], masses[k])
        np.testing.assert_array_equal(body["position"], places[k])
        np.testing.assert_array_equal(body["velocity"], speeds[k])
        self.assertEqual(page.inner_text("#body-panel h2"), f"Body {ids[k]}")
        self.assertIn(f"{places[k][0]:.3g}"[:4], page.inner_text("#body-panel .values"))
        # Followed, it is in the middle.
        page.click("#body-panel .toggle")
        step = np.array(page.evaluate("octant.app.frame.cell"))
        middle = np.array(page.evaluate("octant.camera.target"))
        self.assertTrue((abs(middle - places[k]) <= 0.51 * step).all())
        page.keyboard.press("Escape")
        self.until(page, "!octant.app.picked")

    def test_measurements_and_times(self):
        _, page = self.tree()
        page.click("#tab-charts")
        self.until(page, "document.querySelectorAll('.chart').length >= 2")
        self.until(page, "octant.app.state.series.rows > 3")
        inked = page.evaluate("""() => [...document.querySelectorAll(".chart")].map(chart => {
            const {data} = chart.getContext("2d").getImageData(0, 0, chart.width, chart.height);
            return data.filter((value, i) => i % 4 === 3 && value > 128).length;
        })""")
        self.assertGreater(min(inked), 100)
        page.keyboard.press("p")
        self.until(page, "document.querySelectorAll('.phase').length > 3")
        self.shows(page, ".phases", "force_tree")

    def test_profiles_of_components(self):
        self.write("parts.yaml", """\
units: nbody
models:
  - plummer: {n: 300, name: near, type: disk}
  - plummer: {n: 200, name: far, type: bulge, offset: [4, 0, 0]}
gravity: {method: direct, softening: 0.05}
integrator: {method: leapfrog, dt: 0.001}
run: {until: 100}
output: {diagnostics: 0.01, components: [near_disk, far]}
""")
        viewer, page = self.view("parts.yaml", "--out", "none", width=1000, height=900)
        page.click("#tab-charts")
        profiles = page.locator("#panel-charts section:has(h3:text('Profiles'))")
        profiles.locator("canvas").wait_for(state="visible", timeout=30000)
        self.shows(page, "#panel-charts section:has(h3:text('Profiles')) .chart-keys", "near disk")
        profiles.locator("select").select_option("density")
        inked = profiles.locator("canvas").evaluate("""chart => {
            const {data} = chart.getContext("2d").getImageData(0, 0, chart.width, chart.height);
            return data.filter((value, i) => i % 4 === 3 && value > 128).length;
        }""")
        self.assertGreater(inked, 100)
        found = viewer.get("/api/profiles")
        self.assertEqual({row[0] for row in found["rows"]}, {"near_disk", "far"})
        names = [column["name"] for column in found["columns"]]
        last = [row for row in found["rows"] if row[0] == "far"][-1]
        self.assertAlmostEqual(last[1 + names.index("mass_enclosed")], 1, delta=1e-9)
        # A chart of a column has a line for each component.
        groups = {column.get("group") for column in viewer.get("/api/series")["columns"]}
        self.assertIn("lagrange_50", groups)
        self.assertEqual(self.complaints, [])

    def test_picture_and_film_are_downloads(self):
        _, page = self.tree()
        page.click("#tab-save")
        with page.expect_download() as picture:
            page.click("#panel-save >> text=PNG")
        data = picture.value.path().read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(data), 5000)
        page.click("#record")
        drawn = page.evaluate("octant.renderer.drawn")
        self.until(page, f"octant.renderer.drawn > {drawn} + 5")
        with page.expect_download() as film:
            page.click("#record")
        data = film.value.path().read_bytes()
        self.assertEqual(data[:4], b"\x1a\x45\xdf\xa3")  # Matroska
        self.assertGreater(len(data), 2000)

    def test_every_key_does_something_once(self):
        _, page = self.tree("--paused")
        page.keyboard.press("h")
        names = page.locator("#panel-help .section:not(:last-of-type) kbd").all_inner_texts()
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 30)
        page.keyboard.press("Escape")
        self.assertEqual(page.locator(".panel:visible").count(), 0)
        for key, now in (("s", "look.mode === 'spheres'"), ("a", "look.mode === 'density'"),
                         ("t", "look.trails"), ("o", "look.ortho"), ("d", "frozen"),
                         ("x", "picked.index === 0"), ("X", "picked === null")):
            page.keyboard.press(key)
            self.until(page, f"octant.app.{now}")
        yaw = page.evaluate("octant.camera.yaw")
        page.keyboard.press("ArrowLeft")
        self.assertNotEqual(page.evaluate("octant.camera.yaw"), yaw)


class Connection(PageTest):
    def test_a_broken_line_is_survived(self):
        self.write("tree.yaml", TREE)
        viewer = Viewer(self, "view", "tree.yaml")
        tunnel = Tunnel(self, viewer)
        page = self.open(tunnel.url)
        self.assertFalse(page.locator("#notice").is_visible())
        tunnel.cut()
        page.locator("#notice").wait_for(state="visible", timeout=10000)
        self.shows(page, "#notice", "does not answer")
        before = page.evaluate("octant.app.frame.step")
        tunnel.mend()
        self.until(page, f"octant.app.link === 'up' && octant.app.frame.step > {before}")
        self.assertFalse(page.locator("#notice").is_visible())

    def test_a_viewer_that_comes_back_is_taken_up_again(self):
        self.write("tree.yaml", TREE)
        viewer, page = self.view("tree.yaml", "--paused")
        viewer.post("step", "steps=5")
        self.until(page, "octant.app.frame.step === 5")
        viewer.end()
        page.locator("#notice").wait_for(state="visible", timeout=10000)
        other = Viewer(self, "view", "tree.yaml", "--paused", "--port", viewer.port,
                       token=viewer.token)
        self.until(page, "octant.app.link === 'up' && octant.app.frame.step === 0")
        self.assertFalse(page.locator("#notice").is_visible())
        other.post("step", "steps=2")
        self.until(page, "octant.app.frame.step === 2")

    def test_another_viewer_at_the_same_port(self):
        self.write("tree.yaml", TREE)
        viewer, page = self.view("tree.yaml", "--paused")
        viewer.end()
        page.locator("#notice").wait_for(state="visible", timeout=10000)
        other = Viewer(self, "view", "tree.yaml", "--paused", "--port", viewer.port)
        self.until(page, "octant.app.link === 'denied'")
        self.shows(page, "#notice", "new address")
        # The new address in the same tab: the page goes on without being loaded again.
        page.evaluate(f"location.hash = 'token={other.token}'")
        self.until(page, "octant.app.link === 'up'")
        self.assertFalse(page.locator("#notice").is_visible())
        other.post("step", "steps=2")
        self.until(page, "octant.app.frame.step === 2")


class Playback(PageTest):
    def test_scrubbing_shows_each_file(self):
        self.octant("run", self.scene, "--out", "results")
        _, page = self.view("results")
        self.until(page, "octant.app.state.files?.count === 5")
        self.assertTrue(page.locator("#scrubber").is_visible())
        for index, at in ((4, 1.0), (1, 0.25), (3, 0.75)):
            page.locator("#scrubber").fill(str(index))
            self.until(page, f"Math.abs(octant.app.frame.time - {at}) < 1e-9")
            self.shows(page, "#steps", f"{index + 1} of 5")
        page.click("#reset")
        self.until(page, "octant.app.frame.time === 0")
        page.click("#step")
        self.until(page, "octant.app.state.files.index === 1")
        self.assertTrue(page.locator("#panel-save button:has-text('Snapshot')").is_disabled())

    def test_markup_in_a_title_is_text(self):
        markup = "<img src=x onerror=document.title='got-in'><b id=got-in>bold</b>"
        self.write("hostile.csv", f"# title: {markup}\n" + FOUR)
        self.write("hostile.yaml", TREE.replace("A small tree", f'"{markup}"'))
        _, page = self.view("hostile.yaml", "--paused")
        self.assertEqual(page.inner_text("#title"), markup)
        _, page = self.view("hostile.csv")
        _, other = self.view("hostile.csv", "--out", markup.replace("/", ""))
        other.click("#tab-save")
        for each in (page, other):
            self.assertEqual(each.locator("#got-in").count(), 0)
            self.assertNotEqual(each.title(), "got-in")
        self.assertEqual(self.complaints, [])

    def test_a_file_that_is_left_out_is_told(self):
        self.octant("run", self.scene, "--out", "results")
        (self.folder / "results/snapshot_0001.hdf5").write_bytes(b"nothing")
        table = self.folder / "results/diagnostics.csv"
        table.write_text(table.read_text() + "1,2\n")
        _, page = self.view("results")
        page.click("#step")
        self.until(page, "octant.app.state.files.index === 2")
        self.shows(page, "#toast", "snapshot_0001.hdf5")
        page.click("#tab-scenes")
        page.locator("#panel-scenes li:has-text('snapshot_0001.hdf5 is left out')").wait_for(
            state="visible", timeout=5000)
        page.click("#tab-charts")
        page.locator("#panel-charts p:has-text('diagnostics.csv')").wait_for(state="visible",
                                                                             timeout=5000)


if __name__ == "__main__":
    unittest.main()
