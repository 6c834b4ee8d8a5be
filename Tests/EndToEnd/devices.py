"""Hub and devices as processes of their own, with folders that people and programs write to."""

import contextlib
import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A program that is started, killed and started again, its words in one file."""

    # What it is started by: a network of its own, if it has one.
    prefix = ()

    def __init__(self, words, environment, log):
        self.words, self.environment, self.log = [str(word) for word in words], environment, log
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [*self.prefix, *self.words],
            env={**os.environ, "SHEAF_AGENT": "off", **self.environment},
            stdin=subprocess.DEVNULL,
            stdout=open(self.log, "ab"),
            stderr=subprocess.STDOUT,
        )

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise

    @contextlib.contextmanager
    def stopped(self):
        """Has it do nothing meanwhile: each of its threads has stopped before this goes on."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def said(self):
        return pathlib.Path(self.log).read_text(errors="replace")


def wait_for(condition, seconds, what):
    """Gives what a condition gives, once that is something; fails when it is not within so many seconds, or a minute.

    A machine that does much else meanwhile takes many times as long as another one.
    """
    seconds = max(seconds, 60)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        select.select([], [], [], 0.02)
    raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")


def bytes_of(path):
    """What a file holds, what a link says, or both of all that is in a folder."""
    if path.is_symlink():
        return os.fsencode(os.readlink(path))
    if path.is_dir():
        return b"\n".join(bytes_of(member) for member in sorted(path.iterdir()))
    return path.read_bytes()


class Hub(Process):
    def __init__(self, sheaf, base, host="127.0.0.1"):
        self.sheaf, self.data = sheaf, base / "hub"
        self.port = free_port()
        self.address = f"http://{host}:{self.port}"
        # Who is not on this machine alone sits behind a proxy; here the network is all there is.
        others = [] if host == "127.0.0.1" else ["--behind-proxy"]
        # What devices say that join it.
        self.join_words = [] if host == "127.0.0.1" else ["--without-tls"]
        super().__init__(
            [sheaf, "hub", "--data", self.data, "--listen", f"{host}:{self.port}", "--address-rate", "100", *others],
            {},
            base / "hub.log"
        )

    def back_up(self, place):
        done = subprocess.run([self.sheaf, "hub", "--data", self.data, "backup", place], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def put_back(self, place):
        """Is what it was when it was backed up; it must not run."""
        shutil.rmtree(self.data)
        done = subprocess.run([self.sheaf, "hub", "--data", self.data, "restore", place], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr

    def invite(self):
        """An invitation for one more device, also where the first one's is used up."""
        done = subprocess.run([self.sheaf, "hub", "--data", self.data, "invite"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def invitation(self):
        return wait_for(lambda: re.findall(r"for an hour: (\S+)", self.said), 20, "an invitation")[-1]


class Device(Process):
    """One device: its folder, and the process that keeps it in step."""

    def __init__(self, sheaf, base, name):
        self.sheaf, self.name, self.folder = sheaf, name, base / name
        home, runtime = base / f"home {name}", base / f"run-{name}"
        for folder in (home, runtime):
            folder.mkdir(mode=0o700)
        super().__init__(
            [sheaf, "up"],
            {
                "SHEAF_HOME": str(home),
                "SHEAF_RUNTIME_DIR": str(runtime),
                # Devices have no versions in common, nor anything else of a user's.
                "HOME": str(home),
                "SHEAF_VAULT": str(home / "versions"),
                **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA", "STATE")},
                "SHEAF_TYPES": str(home / "types"),
            },
            base / f"{name}.log",
        )

    def run(self, *words, **options):
        return subprocess.run(
            [*self.prefix, self.sheaf, *map(str, words)],
            env={**os.environ, "SHEAF_AGENT": "off", **self.environment},
            capture_output=True,
            text=True,
            timeout=60,
            **options,
        )

    def begin(self, hub):
        words = ["--hub", hub.address, "--invitation", hub.invitation(), "--name", self.name, *hub.join_words]
        done = self.run("join", self.folder, *words)
        assert done.returncode == 0, done.stderr

    def share(self, hub, other, answers=("yes", "yes"), read_code=None):
        """Lets another device share this one's container; gives what both commands said.

        - read_code: Gives the text of the QR code that is shown, by which the other one joins then; nil to type the code.
        """

        def talk(device, *words):
            return subprocess.Popen(
                [*device.prefix, device.sheaf, *map(str, words)],
                env={**os.environ, "SHEAF_AGENT": "off", **device.environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )

        first = talk(self, "pair", *(["--qr"] if read_code else []))
        shown = ""
        # The QR code comes after the code, and ends with an empty line.
        while "--code" not in shown or (read_code and not shown.endswith("\x1b[0m\n\n")):
            line = first.stdout.readline()
            assert line, shown
            shown += line
        code = re.search(r"--code (\S+)", shown)[1]
        if read_code:
            found = read_code(shown)
            assert found == f"{hub.address}#pair={code}"
            how = ["--code", found]
        else:
            how = ["--hub", hub.address, "--code", code]
        second = talk(other, "join", other.folder, *how, "--name", other.name, *hub.join_words)
        for process, answer in ((first, answers[0]), (second, answers[1])):
            process.stdin.write(answer + "\n")
            process.stdin.flush()
        return first.communicate(timeout=120)[0], second.communicate(timeout=120)[0]

    @contextlib.contextmanager
    def coordinated(self):
        """Runs with an agent, as do other programs of this device."""
        self.end()
        self.environment["SHEAF_AGENT"] = str(self.sheaf)
        agent = Process([self.sheaf, "agent"], self.environment, f"{self.log}.agent")
        agent.start()
        try:
            wait_for(lambda: self.run("locks").returncode == 0, 20, lambda: agent.said)
            self.start()
            yield
        finally:
            self.end()
            agent.end()
            del self.environment["SHEAF_AGENT"]

    @contextlib.contextmanager
    def reading(self, name):
        """Another program reads a file meanwhile."""
        with subprocess.Popen(
            [self.sheaf.parent / "coordination-harness", "reader", self.folder / name],
            env={**os.environ, **self.environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as reader:
            assert reader.stdout.readline() == b"reads\n"
            yield reader
            reader.stdin.close()
        assert reader.returncode == 0

    def conflicts(self, name):
        """What has lost a conflict with a file that nobody has settled."""
        return self.conflicts_at(self.folder / name)

    def conflicts_at(self, path):
        listed = self.run("versions", path, "--json")
        assert listed.returncode == 0, listed.stderr
        found = []
        for version in json.loads(listed.stdout):
            if not version["isConflict"]:
                continue
            copy = self.folder.parent / f"copy {time.monotonic_ns()}"
            done = self.run("versions", path, "--restore", version["id"], "--to", copy)
            assert done.returncode == 0, done.stderr
            found.append(bytes_of(copy))
        return found

    @property
    def is_in_step(self):
        return self.is_running and self.run("status").returncode == 0

    @property
    def contents(self):
        """All paths below the folder, with what is there; nothing of ours, and nothing that goes meanwhile."""
        found = {}
        for folder, folders, files in os.walk(self.folder):
            folders[:] = [name for name in folders if not name.startswith(".sheaf-")]
            here = pathlib.Path(folder)
            for path in (here / name for name in [*folders, *files] if not name.startswith(".sheaf-")):
                with contextlib.suppress(FileNotFoundError):
                    isFolder = path.is_dir() and not path.is_symlink()
                    found[str(path.relative_to(self.folder))] = None if isFolder else bytes_of(path)
        return dict(sorted(found.items()))


def is_anything_due(process_id):
    """Whether a timer of a process is set: timerfd(2), proc_pid_fdinfo(5)."""
    for file in pathlib.Path(f"/proc/{process_id}/fdinfo").iterdir():
        # Of one that is closed meanwhile nothing is set.
        with contextlib.suppress(FileNotFoundError):
            value = re.search(r"it_value: \((\d+), (\d+)\)", file.read_text())
            if value and any(map(int, value.groups())):
                return True
    return False
