"""Starts a hub on a folder of its own, and speaks its protocol."""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import struct
import subprocess

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("SHEAF_BIN", ROOT / ".build" / "debug")).resolve()
CONTAINER = "0123456789abcdef" * 2
JSON = {"Content-Type": "application/json"}
SEED = bytes([0x11] * 32)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.body[:200]!r}"


class Hub:
    """`sheaf hub`; started again it has the same folder and another port."""

    def __init__(self, data, *options):
        self.data, self.options = data, options
        self.process, self.port, self.invitation, self.token = None, 0, None, None
        self.output = []

    def start(self):
        self.process = subprocess.Popen(
            [BINARIES / "sheaf", "hub", "--data", self.data, "--listen", "127.0.0.1:0", *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("Sheaf hub at http://127.0.0.1:"), line + self.process.stderr.read()
        self.port = int(line.split(",")[0].rsplit(":", 1)[1])
        if self.token is None:
            self.invitation = self.process.stdout.readline().split()[-1]
        return self

    def run(self, *words):
        """Runs another subcommand of the hub on the same folder."""
        return subprocess.run([BINARIES / "sheaf", "hub", *words, "--data", self.data],
                              capture_output=True, text=True, timeout=60)

    def kill(self):
        self.process.kill()
        self.output += self.process.communicate()

    def end(self):
        """Ends it as a system does; the exit status."""
        self.process.terminate()
        self.output += self.process.communicate(timeout=60)
        return self.process.returncode

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers={}, token=True, connection=None):
        """One request; a dictionary goes as JSON, `token` may be another device's."""
        headers = dict(headers)
        if token:
            headers["Authorization"] = "Bearer " + (self.token if token is True else token)
        if isinstance(body, dict):
            body = json.dumps(body).encode()
            headers |= JSON
        used = connection or self.connect()
        try:
            used.request(method, path, body, headers)
            return Answer(used.getresponse())
        finally:
            if not connection:
                used.close()

    def register(self, invitation, name="Phone", seed=SEED):
        key = Ed25519PrivateKey.from_private_bytes(seed)
        signing, agreement = key.public_key().public_bytes_raw(), bytes([0x22] * 32)
        signed = b"sheaf register 1" + hashlib.sha256(invitation.encode()).digest() + signing + agreement
        body = {"invitation": invitation, "name": name, "signingKey": signing.hex(), "agreementKey": agreement.hex(),
                "signature": key.sign(signed).hex()}
        return self.ask("POST", "/v1/devices", body, token=None)

    def prepare(self):
        """Registers a device, whose token is used from now on, and makes the container."""
        registered = self.register(self.invitation).json
        self.device, self.token = registered["device"], registered["token"]
        assert self.ask("PUT", f"/v1/containers/{CONTAINER}").status == 201
        return self

    def commit(self, *commits, **options):
        return self.ask("POST", f"/v1/containers/{CONTAINER}/commits", {"commits": list(commits)}, **options)

    def log(self, after=0, **options):
        wait = f"&wait={options.pop('wait')}" if "wait" in options else ""
        return self.ask("GET", f"/v1/containers/{CONTAINER}/log?after={after}{wait}", **options)


def commit(item, base, name, record=b"sealed"):
    return {"item": f"{item:032x}", "base": base, "id": name, "record": base64.b64encode(record).decode()}


def frame(name, blob):
    return bytes.fromhex(name) + struct.pack(">I", len(blob)) + blob


def blob_name(number):
    return f"{number:064x}"


def blobs(rest=""):
    return f"/v1/containers/{CONTAINER}/blobs{rest}"
