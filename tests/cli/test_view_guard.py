"""Who may talk to the viewer's server, how, and how many at a time."""

import os
import socket
import time
import unittest
import unittest.mock

from octant_view import ViewTest, read_frame


class Security(ViewTest):
    def test_without_the_token_nothing_is_told(self):
        viewer = self.view()
        for path in ("/api/state", "/api/scenes", "/api/scene", "/api/series", "/api/body?slot=0",
                     "/frames", "/api/nothing", "/api", "/frames/x"):
            for token in (None, "", "0" * 32, viewer.token[:-1], viewer.token.upper() + " "):
                status, _, text = viewer.request("GET", path, X_Octant_Token=token)
                self.assertEqual(status, 403, (path, token))
                self.assertNotIn(viewer.token, text)
        status, _, _ = viewer.request("POST", "/api/resume", "", X_Octant_Token=None)
        self.assertEqual(status, 403)
        self.assertTrue(viewer.state()["paused"])
        status, _, _ = viewer.request("GET", f"/api/state?token={viewer.token}",
                                      X_Octant_Token=None)
        self.assertEqual(status, 403)

    def test_host_and_origin_must_be_its_own(self):
        viewer = self.view()
        port = viewer.port
        for host in (f"localhost:{port}", viewer.host):
            self.assertEqual(viewer.request("GET", "/api/state", Host=host)[0], 200)
            self.assertEqual(viewer.request("POST", "/api/pause", "", Host=host,
                                            Origin=f"http://{host}")[0], 200)
        for host in (None, "", "localhost", "evil.example", f"evil.example:{port}",
                     f"127.0.0.1.evil.example:{port}", f"localhost:{port + 1}"):
            for path in ("/", "/api/state"):
                self.assertIn(viewer.request("GET", path, Host=host)[0], (400, 403), host)
        for origin in ("null", "http://evil.example", f"https://{viewer.host}",
                       f"http://localhost:{port}", f"http://{viewer.host}.evil.example"):
            self.assertEqual(viewer.request("GET", "/api/state", Origin=origin)[0], 403, origin)
            self.assertEqual(viewer.request("POST", "/api/resume", "", Origin=origin)[0], 403)
        twice = (f"GET /api/state HTTP/1.1\r\nHost: {viewer.host}\r\nHost: {viewer.host}\r\n"
                 f"X-Octant-Token: {viewer.token}\r\n\r\n")
        self.assertIn(viewer.raw(twice.encode()), (400, 403))
        self.assertTrue(viewer.state()["paused"])

    def test_nothing_changes_by_get(self):
        viewer = self.view()
        for verb in viewer.state()["verbs"]:
            if verb != "scene":
                status, headers, _ = viewer.request("GET", f"/api/{verb}")
                self.assertEqual((status, headers["Allow"]), (405, "POST"), verb)
        self.assertEqual(viewer.request("POST", "/api/body", "slot=0")[0], 405)
        self.assertEqual(viewer.request("POST", "/", "")[0], 405)
        for method in ("PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE"):
            self.assertEqual(viewer.request(method, "/api/pause")[0], 405, method)
        state = viewer.state()
        self.assertEqual((state["step"], state["paused"]), (0, True))

    def test_only_its_own_pages_are_served(self):
        viewer = self.view()
        status, headers, text = viewer.request("GET", "/", X_Octant_Token=None)
        self.assertEqual(status, 200)
        self.assertIn("<title>", text)
        self.assertNotIn(viewer.token, text)
        for part in ("default-src 'none'", "script-src 'self'", "connect-src 'self'",
                     "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
            self.assertIn(part, headers["Content-Security-Policy"])
        _, of_state, _ = viewer.request("GET", "/api/state")
        _, of_refusal, _ = viewer.request("GET", "/api/state", X_Octant_Token=None)
        for each in (headers, of_state, of_refusal):
            self.assertEqual(each["X-Content-Type-Options"], "nosniff")
            self.assertEqual(each["Cross-Origin-Resource-Policy"], "same-origin")
            self.assertEqual(each["Cache-Control"], "no-store")
            self.assertIsNone(each["Access-Control-Allow-Origin"])
        for path in ("/small.yaml", "/../small.yaml", "/%2e%2e/small.yaml", "//etc/passwd",
                     "/etc/passwd", "/index.html/..", "/index.html%00", "/."):
            self.assertEqual(viewer.request("GET", path)[0], 404, path)

    def test_requests_have_limits(self):
        viewer = self.view()
        head = f"POST /api/pause HTTP/1.1\r\nHost: {viewer.host}\r\nX-Octant-Token: {viewer.token}"
        self.assertEqual(viewer.request("POST", "/api/pause", "x" * 20000)[0], 413)
        for header, statuses in ((f"Content-Length: {10 ** 18}", (413,)),
                                 (f"Content-Length: {10 ** 20}", (400, 413)),
                                 ("Transfer-Encoding: chunked", (411,)),
                                 (f"X-Long: {'x' * 100000}", (413, 431, None))):
            self.assertIn(viewer.raw(f"{head}\r\n{header}\r\n\r\n".encode()), statuses, header[:40])
        self.assertEqual(viewer.request("POST", "/api/pause", "a\0b=1")[0], 400)
        self.assertEqual(viewer.request("POST", "/api/pause", "\n" * 1000)[0], 200)
        self.assertEqual(viewer.request("GET", "/api/state", "x=1")[0], 400)

    def test_the_address_and_the_port_are_checked(self):
        self.assertIn("port", self.refused("view", self.scene, "--port", "70000"))
        self.assertIn("port", self.refused("view", self.scene, "--port", "x"))
        self.assertIn("port", self.refused("run", self.scene, "--view=70000"))
        self.assertIn("address", self.refused("view", self.scene, "--bind", "localhost.example"))
        with unittest.mock.patch.dict(os.environ, OCTANT_VIEW_TOKEN="secret"):
            sentence = self.refused("view", self.scene)
        self.assertIn("OCTANT_VIEW_TOKEN", sentence)
        self.assertNotIn("secret", sentence)
        viewer = self.view()
        self.assertIn("cannot listen", self.refused("view", self.scene, "--port", viewer.port))

    def test_it_listens_at_home(self):
        viewer = self.view()
        with open("/proc/net/tcp", encoding="utf-8") as table:
            listening = [line.split()[1].split(":") for line in table if line.split()[3] == "0A"]
        self.assertEqual([address for address, port in listening if int(port, 16) == viewer.port],
                         ["0100007F"])
        viewer.post("quit")
        self.assertNotIn("warning", viewer.wait()[2])

    def check_reached(self, address, host, warned):
        """Asks a viewer that listens at an address at the very address that it has printed."""
        viewer = self.view("--bind", address)
        self.assertEqual(viewer.host, f"{host}:{viewer.port}")
        viewer.state()
        self.assertIsNotNone(read_frame(viewer.stream()))
        self.assertEqual(viewer.request("POST", "/api/pause", "",
                                        Origin=f"http://{viewer.host}")[0], 200)
        for other in ("[::2]", "10.9.8.7", "evil.example"):
            for given in (f"{other}:{viewer.port}", host):
                self.assertEqual(viewer.request("GET", "/api/state", Host=given)[0], 403, given)
        viewer.post("quit")
        status, _, errors = viewer.wait()
        self.assertEqual((status, "warning" in errors), (0, warned), errors)

    def test_the_printed_address_answers(self):
        self.check_reached("0.0.0.0", "127.0.0.1", warned=True)
        self.check_reached("127.0.0.2", "127.0.0.2", warned=False)

    def test_the_printed_address_answers_with_ipv6(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError as error:
            self.skipTest(f"this machine has no IPv6: {error}")
        self.check_reached("::", "[::1]", warned=True)
        self.check_reached("::1", "[::1]", warned=False)


class Crowds(ViewTest):
    def test_stalled_clients_keep_nobody_out(self):
        viewer = self.view()
        viewer.state()
        stalled = []
        request = f"GET /frames HTTP/1.1\r\nHost: {viewer.host}\r\nX-Octant-Token: {viewer.token}"
        beginnings = ["", "GET / HT"]
        for _ in range(100):
            stalled.append(viewer.connect())
            stalled[-1].sendall(f"{request}\r\n\r\n".encode())  # a stream that is not read
        for i in range(500):  # more than there is room for
            stalled.append(viewer.connect())
            stalled[-1].sendall(beginnings[i % 2].encode())
        start = time.monotonic()
        stream = viewer.stream("/frames")
        for _ in range(20):
            self.assertIsNotNone(read_frame(stream))
        self.assertEqual(viewer.post("step", "steps=3")["step"], 3)
        self.assertLess(time.monotonic() - start, 5)
        self.assertGreaterEqual(viewer.state()["streams"], 100)
        for connection in stalled:
            connection.close()
        viewer.post("quit")
        self.assertEqual(viewer.wait()[0], 0)

    def test_silent_clients_are_cut_off(self):
        viewer = self.view()
        silent = [viewer.connect() for _ in range(3)]
        silent[1].sendall(b"GET / HT")
        silent[2].sendall(f"POST /api/step HTTP/1.1\r\nHost: {viewer.host}\r\nX-Octant-Token: "
                          f"{viewer.token}\r\nContent-Length: 7\r\n\r\nst".encode())
        start = time.monotonic()
        for connection in silent:
            connection.settimeout(25)
            self.assertNotIn(b"200", connection.recv(1 << 12))
            connection.close()
        self.assertTrue(5 < time.monotonic() - start < 20)
        self.assertEqual(viewer.state()["step"], 0)

    def test_it_ends_while_clients_are_there(self):
        viewer = self.view()
        viewer.state()
        streams = [viewer.stream("/frames"), viewer.stream()]
        read_frame(streams[0])
        open_ones = [viewer.connect() for _ in range(5)]
        viewer.interrupt()
        status, _, errors = viewer.wait()
        self.assertEqual((status, errors), (0, ""))
        for connection in open_ones:
            connection.close()


if __name__ == "__main__":
    unittest.main()
