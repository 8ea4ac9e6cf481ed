"""A viewer of the octant binary, as a client sees it."""

import csv
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time

from octant_cli import OctantTest, needs

HEADER = 192
ADDRESS = re.compile(r"http://([\d.]+|\[[\da-f:]+\]):(\d+)/#token=([0-9a-f]{32})\n")


class Frame:
    """A frame of the stream, taken apart as docs/viewer.md says."""

    def __init__(self, header, payload):
        (self.sequence, self.step, self.time, self.count, self.stride,
         self.total) = struct.unpack_from("<QQdIIQ", header, 8)
        self.low = struct.unpack_from("<3d", header, 48)
        self.high = struct.unpack_from("<3d", header, 72)
        self.generation, = struct.unpack_from("<I", header, 128)
        self.payload = payload

    def position(self, k):
        numbers = struct.unpack_from("<3H", self.payload, 8 * k)
        return [low + number / 65534 * (high - low)
                for number, low, high in zip(numbers, self.low, self.high)]


def read_frame(stream):
    """The next frame of a response, or None where it ends."""
    header = stream.read(HEADER)
    if len(header) < HEADER:
        return None
    assert header[:4] == b"OCTF", header[:4]
    payload = stream.read(struct.unpack_from("<I", header, 124)[0])
    return Frame(header, payload)


class Viewer:
    """A running `octant view` or `octant run --view`."""

    def __init__(self, test, *arguments, token=None, environment=None):
        self.test = test
        given = {**(environment or {}), **({"OCTANT_VIEW_TOKEN": token} if token else {})}
        self.process = subprocess.Popen(test.command(*arguments), cwd=test.folder, text=True,
                                        env={**os.environ, **given}, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        test.addCleanup(self.end)
        output = self.process.stderr if arguments[0] == "run" else self.process.stdout
        for line in output:
            match = ADDRESS.fullmatch(line)
            if match:
                break
        else:
            test.fail(f"no address: {self.process.communicate()}")
        self.address, self.port, self.token = match[1].strip("[]"), int(match[2]), match[3]
        self.host = f"{match[1]}:{self.port}"

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def wait(self):
        """Waits until it has ended; its exit status and what it printed last."""
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)

    def connect(self):
        return socket.create_connection((self.address, self.port), timeout=30)

    def raw(self, request):
        """Sends bytes and returns the status of the reply; None where the connection just ends."""
        with self.connect() as connection:
            try:
                connection.sendall(request)
                reply = connection.makefile("rb").read(12)
            except OSError:
                return None
        return int(reply[9:12]) if reply.startswith(b"HTTP/1.") else None

    def request(self, method, path, body=None, **headers):
        """Status, headers and text of a reply; a header that is None is left out."""
        given = {"Host": self.host, "X-Octant-Token": self.token}
        given.update({key.replace("_", "-"): value for key, value in headers.items()})
        connection = http.client.HTTPConnection(self.address, self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for key, value in given.items():
                if value is not None:
                    connection.putheader(key, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body.encode() if body else None)
            response = connection.getresponse()
            return response.status, response.headers, response.read().decode()
        finally:
            connection.close()

    def get(self, path):
        status, _, text = self.request("GET", path)
        self.test.assertEqual(status, 200, text)
        return json.loads(text)

    def post(self, verb, *lines):
        status, _, text = self.request("POST", f"/api/{verb}", "\n".join(lines))
        self.test.assertEqual(status, 200, text)
        return json.loads(text)

    def refused(self, verb, *lines, status=400):
        """The sentence with which a command is refused."""
        code, _, text = self.request("POST", f"/api/{verb}", "\n".join(lines))
        self.test.assertEqual(code, status, text)
        return json.loads(text)["error"]

    def state(self):
        """The state, once there is one."""
        state = self.get("/api/state")
        while "loading" in state:
            time.sleep(0.05)
            state = self.get("/api/state")
        return state

    def stream(self, path="/frames?once=1"):
        """A response that frames can be read from."""
        connection = http.client.HTTPConnection(self.address, self.port, timeout=60)
        connection.request("GET", path, headers={"X-Octant-Token": self.token})
        response = connection.getresponse()
        self.test.assertEqual(response.status, 200)
        self.test.addCleanup(connection.close)
        return response


@needs("viewer")
class ViewTest(OctantTest):
    def view(self, *arguments):
        return Viewer(self, "view", self.scene, "--paused", *arguments)

    def body_in(self, snapshot, body_id):
        """The row of a body in a snapshot, as numbers."""
        self.octant("convert", snapshot, "bodies.csv")
        with open(self.folder / "bodies.csv", encoding="utf-8") as file:
            lines = [line for line in file if not line.startswith("#")]
        rows = [row for row in csv.DictReader(lines) if row["id"] == body_id]
        self.assertEqual(len(rows), 1)
        return {key: float(value) for key, value in rows[0].items()}
