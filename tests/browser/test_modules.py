"""Parts of the viewer's page by themselves, in a real browser."""

import json
import random
import struct
import unittest

from octant_page import PageTest, np


def frame_bytes(sequence, count, header_bytes):
    """A frame as docs/viewer.md describes it, with numbers that tell it from others."""
    payload = bytes((sequence + i) % 256 for i in range(9 * count))
    payload += bytes(-len(payload) % 8)
    header = struct.pack("<4sHHQQdIIQ", b"OCTF", 1, header_bytes, sequence, 10 * sequence, 0.5,
                         count, 1, count)
    header += struct.pack("<6d", -1, -2, -3, 1, 2, 3) + struct.pack("<3d", 0.5, 1, 16)
    header += struct.pack("<BBBBIII", 2, 2, 2, 0, len(payload), 7, 0) + struct.pack("<3d", 4, 1, 0)
    return header.ljust(header_bytes, b"\0") + payload


class Modules(PageTest):
    def setUp(self):
        super().setUp()
        self.write("one.csv", "id,x,y,z,vx,vy,vz,mass\n1,0,0,0,0,0,0,1\n")
        self.viewer, self.page = self.view("one.csv")

    def module(self, name, body, argument=None):
        """What a function of a module's exports gives."""
        return self.page.evaluate(
            f"argument => import('./{name}.js').then(m => {{ {body} }})", argument)

    def test_frames_are_cut_from_any_chunks(self):
        random.seed(1)
        frames = [(1, 5, 192), (2, 0, 192), (3, 40, 200), (4, 40, 192), (5, 1, 264)]
        stream = b"".join(frame_bytes(*frame) for frame in frames)
        for most in (1, 7, 300, len(stream)):
            chunks, at = [], 0
            while at < len(stream):
                size = random.randint(1, most)
                chunks.append(list(stream[at:at + size]))
                at += size
            got = self.module("stream", """
                const cutter = new m.FrameCutter(), out = [];
                for (const chunk of argument)
                    cutter.push(new Uint8Array(chunk), frame => out.push([frame.sequence,
                        frame.count, frame.headerBytes, [...new Uint8Array(frame.payload)],
                        frame.generation, frame.cell[2], frame.scale, frame.image[1]]));
                return out;""", chunks)
            self.assertEqual([tuple(each[:3]) for each in got], frames)
            for each, (sequence, count, header_bytes) in zip(got, frames):
                self.assertEqual(bytes(each[3]), frame_bytes(*each[:3])[header_bytes:])
                self.assertEqual(each[4], 7)
                self.assertAlmostEqual(each[5], 6 / 65534, delta=1e-18)
                self.assertEqual(each[6:], ["log", 1])
        self.assertTrue(self.module("stream", """
            try { new m.FrameCutter().push(new Uint8Array(192), () => {}); }
            catch { return true; }
            return false;"""))

    def test_orbits_are_those_of_kepler(self):
        # Semi-major axis 2 and eccentricity 0.6 around mass 3 with G = 2, at the periapsis.
        mu, axis, e = 2 * 3.5, 2, 0.6
        speed = (mu / axis * (1 + e) / (1 - e)) ** 0.5
        star = {"id": "1", "mass": 3, "position": [5, 5, 5], "velocity": [0.1, 0, 0]}
        planet = {"id": "2", "mass": 0.5, "position": [5 + axis * (1 - e), 5, 5],
                  "velocity": [0.1, 0, speed]}
        hole = {"id": "3", "mass": 1e6, "position": [500, 5, 5], "velocity": [0, 0, 0]}
        orbit = self.module("orbits", "return m.orbitOf(argument[1], argument, 2);",
                            [star, planet, hole])
        self.assertEqual(orbit["primary"], "1")
        np.testing.assert_allclose([orbit["axis"], orbit["eccentricity"]], [axis, e], rtol=1e-12)
        np.testing.assert_allclose(orbit["periapsis"], [1, 0, 0], atol=1e-12)
        np.testing.assert_allclose(orbit["normal"], [0, -1, 0], atol=1e-12)
        planet["velocity"][2] *= 2  # away for good
        self.assertIsNone(self.module("orbits", "return m.orbitAround(...argument, 2);",
                                      [planet, star]))

    def test_camera(self):
        result = self.module("camera", """
            const c = new m.Camera(), out = {};
            [c.width, c.height, c.yaw, c.pitch] = [800, 600, 30, 40];
            c.insets = {left: 100, right: 0, bottom: 0};
            c.fit({centre: [1e13, 2e13, 3e13], radius: 5});
            out.middle = c.project(c.target);
            for (const ortho of [false, true]) {
                c.ortho = ortho;
                // what is under the pointer, in the plane of the target, stays there
                const [right, up] = c.axes(), unit = c.unitsPerPixel;
                const place = c.target.map((x, k) => x + 50 * unit * right[k] + 80 * unit * up[k]);
                const before = c.project(place);
                c.zoom(3, ...before);
                out[ortho] = [before, c.project(place)];
            }
            const back = c.axes()[2];
            c.inverted = true;
            out.turned = c.axes()[2].map((x, k) => x + back[k]);
            return out;""")
        np.testing.assert_allclose(result["middle"], [450, 300], atol=1e-3)
        for kind in ("false", "true"):
            # 1e13 away from the origin doubles are worth 0.002; seen: 0.04 and 0.33 pixels
            np.testing.assert_allclose(result[kind][0], [500, 220], atol=0.5)
            np.testing.assert_allclose(result[kind][1], result[kind][0], atol=0.8)
        np.testing.assert_allclose(result["turned"], 0, atol=1e-12)

    def test_colour_maps_get_lighter_evenly(self):
        names = self.module("colours", "return m.MAP_NAMES;")
        self.assertGreaterEqual(len(names), 4)
        for name in names:
            rgb = np.array(self.module("colours", f"""return Array.from({{length: 33}},
                (_, i) => m.mapColour('{name}', i / 32));""")) / 255
            linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
            lightness = np.cbrt(linear @ [0.2126, 0.7152, 0.0722])
            steps = np.diff(lightness)
            self.assertGreater(steps.min(), 0, name)
            self.assertLess(steps.max(), 1.6 * steps.mean(), name)  # seen: 1.31

    def test_units_are_readable(self):
        si = {"physical": True, "length": "m", "mass": "kg", "time": "s", "speed": "m/s",
              "si": [1, 1, 1]}
        solar = {**si, "length": "AU", "time": "day",
                 "si": [149597870700, 5.972167867791379e24, 86400]}
        for value, kind, units, text in ((600, "length", si, "600 m"), (0, "time", si, "0 s"),
                                         (1500, "length", si, "1.5 km"),
                                         (30, "length", solar, "30 AU"),
                                         (1e-5, "length", solar, "1496 km"),
                                         (730.5, "time", solar, "2 yr"),
                                         (332946, "mass", solar, "1 M☉"),
                                         (2e-4, "speed", si, "200 µm/s")):
            got = self.module("units", "return m.quantity(...argument);", [value, kind, units])
            self.assertEqual(got, text)
        for value, text in ((0.00012345, "1.234×10⁻⁴"), (1e9, "10⁹"), (12345.6, "12350"),
                            (-2.5, "-2.5"), (None, "–")):
            self.assertEqual(self.module("units", "return m.number(argument);", value), text)

    def test_every_key_of_every_scene_has_its_field(self):
        scenes = self.viewer.get("/api/scenes")
        self.assertGreater(len(scenes["scenes"]), 5)
        unknown = self.module("fields", """return argument.scenes.flatMap(scene =>
            Object.keys(scene.values).filter(key => !["G", "forces"].includes(key) &&
                !m.fieldOf(argument.reference, key, scene.values)));""", scenes)
        self.assertEqual(unknown, [])
        kinds = self.module("fields", "return argument[1].map(key => "
                            "m.fieldOf(argument[0], key, {}).type);",
                            [scenes["reference"], ["models.0.merger.pericentre",
                             "models.0.merger.first.disk-galaxy.disk.n",
                             "models.0.merger.second.merger.first.plummer.type"]])
        self.assertEqual(kinds, ["real", "int", "choice"])
        fresh = self.module("fields", "return m.defaultsOf(argument, 'gravity', 'tree');",
                            scenes["reference"])
        self.assertEqual(list(fresh)[0], "gravity.method")
        self.assertIn("gravity.theta", fresh)
        field = next(each for section in scenes["reference"]["sections"]
                     for module in section["modules"] for each in module["fields"]
                     if each["name"] == "theta")
        for text, wrong in (("0.5", False), ("-1", True), ("5", True), ("1e", True),
                            ("3 km", False)):
            fault = self.module("fields", "return m.faultOf(...argument);", [field, text])
            self.assertEqual(bool(fault), wrong, json.dumps([text, fault]))


if __name__ == "__main__":
    unittest.main()
