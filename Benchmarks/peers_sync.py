"""The programs that sync is measured beside, each as its own makers would have it run for speed."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Tests" / "EndToEnd"))
from devices import free_port, wait_for  # noqa: E402

START_SECONDS = 30


def is_there(program):
    return shutil.which(program) is not None


class Syncthing:
    """Two nodes over the loopback that know nobody else.

    - delay: Seconds that a change has to rest before it is looked at; 1 is the least that syncthing takes, 10 what it
      takes by itself.
    """

    def __init__(self, base, one, two, delay=1):
        self.nodes = [SyncthingNode(base / f"syncthing {number}", folder) for number, folder in enumerate((one, two))]
        for node in self.nodes:
            node.configure(self.nodes, delay)

    def __enter__(self):
        for node in self.nodes:
            node.start()
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            node.end()

    def settle(self, seconds):
        for node in self.nodes:
            wait_for(lambda: node.is_idle, seconds, "syncthing does not come to rest")


class SyncthingNode:
    def __init__(self, home, folder):
        self.home, self.folder = home, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.gui = free_port(), free_port()
        subprocess.run(
            ["syncthing", "generate", "--home", home, "--no-default-folder", "--skip-port-probing"],
            check=True, capture_output=True,
        )
        self.id = subprocess.run(
            ["syncthing", "--home", home, "--device-id"], check=True, capture_output=True, text=True
        ).stdout.strip()
        self.process = None

    def configure(self, nodes, delay):
        config = (self.home / "config.xml").read_text()
        self.key = re.search("<apikey>(.*)</apikey>", config)[1]
        devices = "".join(
            f'<device id="{node.id}" name="{node.port}"><address>tcp://127.0.0.1:{node.port}</address></device>'
            for node in nodes
        )
        shared = "".join(f'<device id="{node.id}"></device>' for node in nodes)
        (self.home / "config.xml").write_text(
            f"""<configuration version="35">
    <folder id="bench" path="{self.folder}" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true"
        fsWatcherDelayS="{delay}" autoNormalize="true">{shared}</folder>
    {devices}
    <gui enabled="true" tls="false"><address>127.0.0.1:{self.gui}</address><apikey>{self.key}</apikey></gui>
    <options>
        <listenAddress>tcp://127.0.0.1:{self.port}</listenAddress>
        <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
        <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><urAccepted>-1</urAccepted>
        <crashReportingEnabled>false</crashReportingEnabled><autoUpgradeIntervalH>0</autoUpgradeIntervalH>
        <startBrowser>false</startBrowser><reconnectionIntervalS>1</reconnectionIntervalS>
    </options>
</configuration>"""
        )

    def start(self):
        self.process = subprocess.Popen(
            ["syncthing", "serve", "--home", self.home, "--no-browser", "--no-restart", "--no-upgrade"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for(self.answers, START_SECONDS, "syncthing does not answer")

    def answers(self):
        try:
            return self.ask("system/ping")
        except OSError:
            return None

    def ask(self, what):
        request = urllib.request.Request(f"http://127.0.0.1:{self.gui}/rest/{what}", headers={"X-API-Key": self.key})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    @property
    def is_idle(self):
        status = self.ask("db/status?folder=bench")
        return status["state"] == "idle" and status["needTotalItems"] == 0

    @property
    def has_scanned(self):
        """Whether it has looked at its folder since it was started."""
        changes = [event["data"] for event in self.ask("events?events=StateChanged&timeout=1") or []]
        return any(change["from"] == "scanning" and change["to"] == "idle" for change in changes)

    def end(self):
        self.process.terminate()
        self.process.wait(20)


def unison(base, one, two):
    """Brings two folders on this machine to the same; gives the seconds that took."""
    environment = {**os.environ, "UNISON": str(base / "unison"), "HOME": str(base)}
    start = time.monotonic()
    done = subprocess.run(
        ["unison", one, two, "-batch", "-silent", "-confirmbigdel=false"], env=environment, capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return time.monotonic() - start


class RepeatingUnison:
    """Looks for changes every second: the shortest time that it takes without a program that watches for it."""

    def __init__(self, base, one, two):
        self.environment = {**os.environ, "UNISON": str(base / "unison repeating"), "HOME": str(base)}
        self.words = ["unison", one, two, "-batch", "-silent", "-repeat", "1"]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.words, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)


class Watchman:
    """Watches a tree, as a process of its own."""

    def __init__(self, base):
        base.mkdir(mode=0o700, parents=True)
        self.socket = base / "socket"
        files = [f"--{name}={base / name}" for name in ("statefile", "logfile", "pidfile")]
        self.words = ["watchman", "--foreground", f"--sockname={self.socket}", *files]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for(self.socket.exists, START_SECONDS, "watchman does not listen")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    def ask(self, *words):
        done = subprocess.run(
            ["watchman", f"--sockname={self.socket}", "--no-spawn", "--json-command"], input=json.dumps(words),
            check=True, capture_output=True, text=True,
        )
        answer = json.loads(done.stdout)
        assert "error" not in answer, answer
        return answer

    def watch(self, folder):
        """Gives the seconds until it knows all that is in the folder."""
        start = time.monotonic()
        self.ask("watch", str(folder))
        # This is answered when all has been looked at; its own answer is short.
        self.ask("clock", str(folder), {"sync_timeout": 60_000})
        return time.monotonic() - start


def rsync(one, two, *options):
    """Makes one folder what the other is; gives the seconds that took, and the bytes that went between the two."""
    start = time.monotonic()
    done = subprocess.run(
        ["rsync", "-a", "--delete", "--no-whole-file", "--stats", *options, f"{one}/", f"{two}/"], check=True,
        capture_output=True, text=True,
    )
    seconds = time.monotonic() - start
    numbers = [int(number.replace(",", "")) for number in re.findall(r"Total bytes \w+: ([\d,]+)", done.stdout)]
    return seconds, sum(numbers)


class Rclone:
    """One request for each file, to a server on this machine."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.words = ["rclone", "serve", "webdav", folder, "--addr", f"127.0.0.1:{self.port}", "--config", os.devnull]

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(self.answers, START_SECONDS, "rclone does not answer")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    def answers(self):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=1).close()
            return True
        except OSError:
            return False

    def sync(self, folder):
        start = time.monotonic()
        subprocess.run(
            [
                "rclone", "sync", folder, ":webdav:", "--webdav-url", f"http://127.0.0.1:{self.port}", "--transfers", "8",
                "--config", os.devnull,
            ],
            check=True, capture_output=True,
        )
        return time.monotonic() - start
