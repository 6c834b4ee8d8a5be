"""The agent as a process: how it is started, whom it serves, and what it outlives."""

import contextlib
import fcntl
import os
import pathlib
import random
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import tempfile

import pytest

from conftest import BINARIES
from scripted_process import ScriptedProcess
from waiting import until

OTHER_USER = 65534


def number(value):
    groups = []
    while value >= 0x80:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


def frame(kind, *fields):
    body = bytes([kind]) + b"".join(fields)
    return struct.pack("<I", len(body)) + body


def hello(client, version=2):
    return frame(1, number(version), number(client), number(os.getpid()), number(4), b"test")


WELCOME = frame(1, number(2))


def answer(connection):
    """What comes within the time that an agent may take, until there is a whole short frame or the end."""
    connection.settimeout(60)
    said = b""
    while len(said) < len(WELCOME):
        part = connection.recv(1000)
        if not part:
            break
        said += part
    return said


@contextlib.contextmanager
def activated(runtime, listener):
    """`sheaf agent` as systemd starts it for a connection: the listening socket is descriptor 3."""
    environment = {**os.environ, "SHEAF_RUNTIME_DIR": str(runtime), "LISTEN_FDS": "1"}
    agent = subprocess.Popen(
        # The number of the process is known in it only; exec keeps it.
        ["sh", "-c", 'LISTEN_PID=$$ exec "$0" agent', BINARIES / "sheaf"], env=environment, pass_fds=[3],
        preexec_fn=lambda: os.dup2(listener.fileno(), 3))
    try:
        yield agent
    finally:
        agent.terminate()
        assert agent.wait(timeout=60) == 0


@pytest.fixture
def runtime(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    return folder


def listening(address):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(64)
    return listener


def test_systemd_starts_it_with_a_socket_that_clients_wait_at_already(runtime, tmp_path):
    path = runtime / "agent.sock"
    with listening(str(path)) as listener, socket.socket(socket.AF_UNIX) as early:
        # It was the reason for the start.
        early.connect(str(path))
        early.sendall(hello(77))
        with activated(runtime, listener) as agent:
            assert answer(early) == WELCOME
            assert (runtime / "agent.lock").read_text() == f"{agent.pid}\n"
            environment = {"SHEAF_RUNTIME_DIR": str(runtime), "SHEAF_AGENT": "/nonexistent"}
            clients = [ScriptedProcess(BINARIES, environment, tmp_path / name) for name in ["one", "two"]]
            clients[0].tell("begin w write", tmp_path / "note.txt").hears("w granted")
            clients[1].tell("begin r read", tmp_path / "note.txt")
            locks = [BINARIES / "sheaf", "locks"]
            until(lambda: "waiting:\n  read" in subprocess.check_output(locks, env={**os.environ, **environment}, text=True))
            clients[0].ends("w")
            clients[1].hears("r granted")
            for client in clients:
                client.kill()
        # The socket is systemd's: it stays, and the next connection starts the next agent.
        assert path.is_socket()
        with socket.socket(socket.AF_UNIX) as late, activated(runtime, listener):
            late.connect(str(path))
            late.sendall(hello(78))
            assert answer(late) == WELCOME


def test_systemd_takes_over_from_an_agent_that_a_program_has_started(runtime, tmp_path):
    path, note = runtime / "agent.sock", tmp_path / "note.txt"
    environment = {"SHEAF_RUNTIME_DIR": str(runtime), "SHEAF_AGENT": "/nonexistent"}
    former = subprocess.Popen([BINARIES / "sheaf", "agent", "--on-demand"], env={**os.environ, **environment})
    until(path.is_socket)
    holder = ScriptedProcess(BINARIES, environment, tmp_path / "holder")
    holder.tell("begin w write", note).hears("w granted")
    # As systemd does: the name is bound anew, and connections wait there.
    path.unlink()
    with listening(str(path)) as listener, activated(runtime, listener) as agent:
        assert former.wait(timeout=60) == 0
        until(lambda: (runtime / "agent.lock").read_text() == f"{agent.pid}\n")
        assert path.is_socket()
        assert talk(str(path)) == "welcome"
        # What was held is held, and who comes new waits for it.
        late = ScriptedProcess(BINARIES, environment, tmp_path / "late")
        late.tell("begin r read", note)
        locks = [BINARIES / "sheaf", "locks"]
        until(lambda: "waiting:\n  read" in subprocess.check_output(locks, env={**os.environ, **environment}, text=True))
        holder.ends("w")
        late.hears("r granted")
        for client in [holder, late]:
            client.kill()


def test_a_process_that_is_no_agent_is_left_alone_by_one_that_systemd_starts(runtime):
    lock = runtime / "agent.lock"
    with subprocess.Popen(["sleep", "600"]) as stranger, open(lock, "w") as held:
        held.write(f"{stranger.pid}\n")
        held.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
        with listening(str(runtime / "agent.sock")) as listener:
            agent = subprocess.run(
                ["sh", "-c", 'LISTEN_PID=$$ exec "$0" agent', BINARIES / "sheaf"], pass_fds=[3], timeout=60,
                env={**os.environ, "SHEAF_RUNTIME_DIR": str(runtime), "LISTEN_FDS": "1"}, capture_output=True, text=True,
                preexec_fn=lambda: os.dup2(listener.fileno(), 3))
        assert agent.returncode == 1 and "running already" in agent.stderr
        assert stranger.poll() is None
        stranger.kill()


def test_a_socket_that_is_meant_for_another_process_is_left_alone(runtime):
    with listening(str(runtime / "other.sock")) as listener:
        environment = {
            **os.environ, "SHEAF_RUNTIME_DIR": str(runtime), "LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
        agent = subprocess.Popen(
            [BINARIES / "sheaf", "agent"], env=environment, pass_fds=[3],
            preexec_fn=lambda: os.dup2(listener.fileno(), 3))
        try:
            until(lambda: (runtime / "agent.sock").is_socket())
        finally:
            agent.terminate()
            agent.wait(timeout=60)


# What it is told on its start


@pytest.mark.parametrize("value", ["0", "-1", "3600.5", "nan", "inf", "soon", "0.3s"])
def test_a_limit_that_is_none_is_refused_and_no_agent_begins(runtime, value):
    done = subprocess.run(
        [BINARIES / "sheaf", "agent", "--presenter-limit", value], capture_output=True, text=True, timeout=20,
        env={**os.environ, "SHEAF_RUNTIME_DIR": str(runtime)})
    assert done.returncode == 2
    assert f"“{value}” is no SECONDS for --presenter-limit" in done.stderr
    assert list(runtime.iterdir()) == []


# Releases


class Releases:
    """Processes of several releases with one folder to meet in; who misses an agent starts the next one."""

    def __init__(self, folder):
        self._folder = folder
        self._versions = folder / "versions"
        self.runtime = folder / "run"
        self.runtime.mkdir(mode=0o700)
        self.environment = {
            "SHEAF_RUNTIME_DIR": str(self.runtime), "SHEAF_AGENT": str(BINARIES / "coordination-harness"),
            "COORDINATION_AGENT_VERSIONS": str(self._versions)}
        self._processes = []

    def next_agent(self, versions):
        self._versions.write_text(versions)

    def process(self, versions):
        errors = self._folder / f"errors{len(self._processes)}"
        self._processes.append(ScriptedProcess(BINARIES, self.environment, errors, versions))
        return self._processes[-1]

    @property
    def agent(self):
        """Its process; 0 for one that has not yet written down which it is."""
        return int((self.runtime / "agent.lock").read_text() or 0)

    def locks(self):
        return subprocess.run(
            [BINARIES / "sheaf", "locks"], capture_output=True, text=True, timeout=20,
            env={**os.environ, **self.environment}).stdout

    def end(self):
        for process in self._processes:
            process.kill()
        # The processes have gone, so that nobody starts another.
        os.kill(self.agent, signal.SIGKILL)


@pytest.fixture
def releases(tmp_path):
    releases = Releases(tmp_path)
    yield releases
    releases.end()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("before, after", [("1-1", "1-2"), ("1-2", "1-1"), ("1-2", "2-2")])
def test_an_agent_of_another_release_takes_over_what_is_held(releases, tmp_path, before, after, end):
    releases.next_agent(before)
    notes = [tmp_path / name for name in ["one.txt", "two.txt"]]
    speaking = "2-2" if after == "2-2" else "1-2"
    writer, reader, waiting = [releases.process(speaking) for _ in range(3)]
    first = releases.agent
    writer.tell("begin w write", notes[0]).hears("w granted")
    reader.tell("begin r read", notes[1]).hears("r granted")
    waiting.tell("begin late read", notes[0])
    until(lambda: "waiting:\n  read" in releases.locks())
    releases.next_agent(after)
    os.kill(first, end)
    # The next one knows what is held, and lets in who was waiting only when he who writes has ended.
    until(lambda: releases.agent != first and "waiting:\n  read" in releases.locks())
    waiting.tell("begin same read", notes[1]).hears("same granted")
    reader.tell("begin in-the-way write", notes[1])
    until(lambda: releases.locks().split("waiting:")[1].count("  write") == 1)
    assert not any(line.startswith(("late", "in-the-way")) for line in waiting.lines + reader.lines)
    writer.ends("w")
    waiting.hears("late granted", notes[0])
    reader.ends("r")
    waiting.ends("same")
    reader.hears("in-the-way granted", notes[1])


def test_who_cannot_speak_to_the_next_agent_loses_what_he_holds_and_hears_it(releases, tmp_path):
    releases.next_agent("1-2")
    note, other = tmp_path / "note.txt", tmp_path / "other.txt"
    old, new = releases.process("1-1"), releases.process("1-2")
    first = releases.agent
    old.tell("begin w write", note).hears("w granted")
    new.tell("begin late write", note)
    until(lambda: "waiting:\n  write" in releases.locks())
    releases.next_agent("2-2")
    os.kill(first, signal.SIGKILL)
    # Whoever is let in is told apart from whoever was, so that nobody takes his own work for safe.
    new.hears("late granted", note)
    old.tell("begin more read", other)
    refusal = old.hears("more failed agentRefused")
    assert f"(process {releases.agent})" in refusal and "This program speaks version 1." in refusal
    old.tell("w end").hears("w failed claimLost")
    new.ends("late")


# Who is somebody else


def as_other_user(deed):
    """Does something in a process of another user; gives what it gives: a short text, or the name of its error."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user: run this test as root")
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            os.setgroups([])
            os.setgid(OTHER_USER)
            os.setuid(OTHER_USER)
            said = deed()
        except BaseException as error:
            said = type(error).__name__
        finally:
            theirs.sendall(said.encode())
            os._exit(0)
    theirs.close()
    with ours:
        said = ours.recv(1000).decode()
    os.waitpid(child, 0)
    return said


def talk(address):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        try:
            connection.sendall(hello(79))
            said = answer(connection)
        except (BrokenPipeError, ConnectionResetError):
            said = b""
        return "welcome" if said == WELCOME else f"{len(said)} bytes"


def reach(path):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
    return "reached"


def test_another_user_does_not_reach_the_socket():
    # Not in the test's own folder, which might be closed to others itself.
    open_folder = pathlib.Path(tempfile.mkdtemp(prefix="sheaf-others-", dir="/tmp"))
    try:
        open_folder.chmod(0o755)
        environment = {**os.environ, "SHEAF_RUNTIME_DIR": str(open_folder / "run")}
        agent = subprocess.Popen([BINARIES / "sheaf", "agent"], env=environment)
        try:
            path = str(open_folder / "run" / "agent.sock")
            until(lambda: talk(path) == "welcome")
            # A socket beside the folder is reached: it is the folder that keeps them out.
            with listening(str(open_folder / "beside.sock")) as beside:
                (open_folder / "beside.sock").chmod(0o777)
                assert as_other_user(lambda: reach(open_folder / "beside.sock")) == "reached"
            # The folder that the agent has made, not what the socket itself allows.
            os.chmod(path, 0o777)
            assert as_other_user(lambda: talk(path)) == "PermissionError"
            assert talk(path) == "welcome"
        finally:
            agent.terminate()
            agent.wait(timeout=60)
    finally:
        shutil.rmtree(open_folder)


def test_another_user_who_reaches_the_socket_is_not_served(runtime):
    # In no folder at all, so that nothing but the agent keeps anybody out.
    address = f"\0sheaf-test-{secrets.token_hex(8)}"
    with listening(address) as listener, activated(runtime, listener):
        assert talk(address) == "welcome"
        assert as_other_user(lambda: talk(address)) == "0 bytes"
        assert talk(address) == "welcome"


# What is no message


def test_it_outlives_whatever_is_sent_to_it(agent, tmp_path):
    seed = int(os.environ.get("AGENT_SEED", random.getrandbits(32)))
    print(f"AGENT_SEED={seed}")
    chance = random.Random(seed)
    runtime = pathlib.Path(agent.environment["SHEAF_RUNTIME_DIR"])
    process = (runtime / "agent.lock").read_text()
    note = tmp_path / "note.txt"
    holder = ScriptedProcess(BINARIES, agent.environment, tmp_path / "holder")
    holder.tell("begin w write", note).hears("w granted")
    request = frame(16, bytes([0, 7, 0, 0, 5, 0, 1]), number(len(str(note))), str(note).encode(), bytes([0, 2, 0, 0, 0]))

    def noise(connection_number):
        greeting = hello(1000 + connection_number)
        good = greeting + request
        return chance.choice([
            lambda: chance.randbytes(chance.randrange(1, 2000)),
            lambda: good[: chance.randrange(1, len(good))],
            lambda: greeting + struct.pack("<I", chance.randrange((1 << 20) + 1, 1 << 32)) + chance.randbytes(100),
            lambda: greeting + struct.pack("<I", 0),
            lambda: greeting + frame(chance.randrange(256), chance.randbytes(chance.randrange(100))),
            lambda: bytes(byte ^ (1 << chance.randrange(8)) if chance.random() < 0.05 else byte for byte in good),
            # Announced, and never sent.
            lambda: greeting + struct.pack("<I", 1 << 20) + b"\x10",
        ])()

    kept = []
    for connection_number in range(600):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(runtime / "agent.sock"))
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(noise(connection_number))
        if chance.random() < 0.3:
            kept.append(connection)
        else:
            connection.close()
    # What is no message is noticed: the connection ends, with a goodbye that says so.
    with socket.socket(socket.AF_UNIX) as last:
        last.connect(str(runtime / "agent.sock"))
        last.sendall(struct.pack("<I", (1 << 20) + 1))
        last.settimeout(60)
        assert last.recv(1000)[4:6] == bytes([2, 1])
        assert last.recv(1000) == b""
    # With all these connections open it serves as before, and what was held is held.
    reader = ScriptedProcess(BINARIES, agent.environment, tmp_path / "reader")
    reader.tell("begin r read", note)
    until(lambda: f"coordination-harness (process {reader.id})" in agent.ask("locks").stdout.split("waiting:")[1])
    assert not any(line.startswith("r granted") for line in reader.lines)
    for connection in kept:
        connection.close()
    holder.ends("w")
    reader.hears("r granted")
    assert (runtime / "agent.lock").read_text() == process
    os.kill(int(process), 0)
    for client in [holder, reader]:
        client.kill()
