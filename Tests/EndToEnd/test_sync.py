"""A hub and several devices, each a process, which are killed while people write."""

import contextlib
import datetime
import json
import os
import plistlib
import random
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
from devices import Device, Hub, is_anything_due, wait_for
from people import People

ROOT = Path(__file__).resolve().parents[2]
SHEAF = ROOT / ".build" / os.environ.get("SHEAF_CONFIGURATION", "debug") / "sheaf"


@pytest.fixture
def base():
    folder = Path(tempfile.mkdtemp(prefix="sheaf-sync-"))
    yield folder
    if "SYNC_KEEP" not in os.environ:
        shutil.rmtree(folder)


class World:
    def __init__(self, base, count):
        self.hub = Hub(SHEAF, base)
        self.hub.start()
        self.devices = [Device(SHEAF, base, f"device-{number}") for number in range(count)]
        self.share()

    def share(self):
        """Has all devices share what the first one begins."""
        self.devices[0].begin(self.hub)
        for other in self.devices[1:]:
            first, second = self.devices[0].share(self.hub, other)
            assert "has the keys now" in first, first + second
            assert "is joined" in second, first + second
        for device in self.devices:
            device.start()

    def end(self):
        for process in [*self.devices, self.hub]:
            process.end()

    def settle(self, seconds=40):
        """Waits until every device says that it is in step, and all have the same."""

        def is_settled():
            if not all(device.is_in_step for device in self.devices):
                return False
            return all(device.contents == self.devices[0].contents for device in self.devices[1:])

        def what():
            known = self.devices[0].contents
            lines = []
            for device in self.devices:
                there = device.contents
                differing = {name for name in {*known, *there} if known.get(name, 0) != there.get(name, 0)}
                lines.append(f"{device.name} differs in {[(name, there.get(name, 'absent')) for name in differing]}")
                lines.append(device.run("status").stdout + device.said[-600:])
            return "\n".join(lines)

        wait_for(is_settled, seconds, what)


@pytest.fixture
def world(base):
    worlds = []

    def make(count):
        worlds.append(World(base, count))
        return worlds[0]

    yield make
    for world in worlds:
        world.end()


def test_a_save_is_on_the_other_device(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("hello")
    wait_for(lambda: two.contents == {"a.txt": b"hello"}, 20, lambda: two.said)
    (two.folder / "a.txt").write_text("hello there")
    wait_for(lambda: one.contents == {"a.txt": b"hello there"}, 20, lambda: one.said)
    here.settle()
    assert two.run("explain", two.folder / "a.txt").returncode == 0
    # A folder is in step when all in it is.
    assert two.run("explain", two.folder).returncode == 0
    here.hub.kill()
    (two.folder / "a.txt").write_text("without a hub")
    asked = lambda: two.run("explain", two.folder)  # noqa: E731: asked anew each time
    wait_for(lambda: asked().returncode == 1 and "The folder itself is the same" in asked().stdout, 20, lambda: two.said)


def test_more_questions_than_open_files_end_nothing(world):
    here = world(1)
    [one] = here.devices
    here.settle()
    process = one.process.pid
    soft, hard = resource.prlimit(process, resource.RLIMIT_NOFILE)
    numbers = {int(name) for name in os.listdir(f"/proc/{process}/fd")}
    # No room for one more.
    lowest = next(number for number in range(len(numbers) + 1) if number not in numbers)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        with contextlib.ExitStack() as silent:
            for _ in range(20):
                asker = silent.enter_context(socket.socket(socket.AF_UNIX))
                asker.connect(str(Path(one.environment["SHEAF_RUNTIME_DIR"]) / "sync.sock"))
            asking = subprocess.Popen(
                [SHEAF, "status"],
                env={**os.environ, **one.environment, "SHEAF_AGENT": "off"},
                stdout=subprocess.PIPE,
                text=True,
            )
            # The command is there, so that the process has been told of those before it.
            wait_for(lambda: asking.poll() is not None or is_connected(asking.pid), 20, lambda: one.said)
    finally:
        if one.is_running:
            resource.prlimit(process, resource.RLIMIT_NOFILE, (soft, hard))
    said, _ = asking.communicate(timeout=60)
    assert one.is_running, one.said
    assert str(one.folder) in said, said + one.said
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)


def is_connected(process):
    """Whether a program has a socket."""
    try:
        places = [os.readlink(f"/proc/{process}/fd/{name}") for name in os.listdir(f"/proc/{process}/fd")]
    except FileNotFoundError:
        return False
    return any(place.startswith("socket:") for place in places)


# A program that does each line's work when it is told to, and says so. It goes on writing the last byte of what it has open,
# the same again, until it is told to rest: until then no file of it is quiet, however long others take.
def test_a_name_in_another_form_is_another_name_everywhere(world):
    here = world(2)
    one, two = here.devices

    def names(device):
        return sorted(name for name in os.listdir(os.fsencode(device.folder)) if not name.startswith(b".sheaf-"))

    composed, decomposed = "caf\u00e9.txt", "cafe\u0301.txt"
    (one.folder / composed).write_text("first")
    wait_for(lambda: names(two) == [composed.encode()], 20, lambda: two.said)
    (one.folder / composed).rename(one.folder / decomposed)
    wait_for(lambda: names(two) == [decomposed.encode()], 20, lambda: f"{names(two)} {two.said}")
    (one.folder / composed).write_text("second")
    both = sorted([composed.encode(), decomposed.encode()])
    wait_for(lambda: names(one) == both and names(two) == both, 20, lambda: f"{names(one)} {names(two)} {two.said}")
    here.settle()
    assert (two.folder / decomposed).read_text() == "first"
    assert (two.folder / composed).read_text() == "second"


def test_a_device_joins_with_a_copy_of_what_another_has(base):
    hub = Hub(SHEAF, base)
    one, two = (Device(SHEAF, base, name) for name in ("one", "two"))
    try:
        hub.start()
        for device in (one, two):
            (device.folder / "sub" / "deeper").mkdir(parents=True)
            (device.folder / "same.txt").write_text("same")
            (device.folder / "sub" / "in.txt").write_text("same")
            (device.folder / "sub" / "deeper" / f"{device.name}.txt").write_text(device.name)
            (device.folder / "differs.txt").write_text(device.name)
        one.begin(hub)
        one.share(hub, two)
        one.start()
        wait_for(lambda: one.is_in_step, 20, lambda: one.said)
        two.start()
        expected = {
            "same.txt": b"same",
            "sub": None,
            "sub/deeper": None,
            "sub/in.txt": b"same",
            "sub/deeper/one.txt": b"one",
            "sub/deeper/two.txt": b"two",
            "differs.txt": b"one",
            "differs 2.txt": b"two",
        }
        wait_for(
            lambda: one.contents == expected and two.contents == expected and one.is_in_step and two.is_in_step,
            20,
            lambda: f"{one.contents} {two.contents} {two.said}",
        )
    finally:
        for process in (one, two, hub):
            process.end()


def test_it_is_said_on_which_devices_a_document_is(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("hello")
    here.settle()

    def explained(name):
        return json.loads(one.run("explain", "--json", one.folder / name).stdout)

    def standings(name):
        return [(device["name"], device["standing"]) for device in explained(name)["devices"]]

    wait_for(lambda: standings("a.txt") == [(one.name, "current"), (two.name, "read")], 20, lambda: explained("a.txt"))
    said = one.run("explain", one.folder / "a.txt").stdout
    assert f"  It is on “{one.name}” (this device).\n  Have read of it, as the hub says: “{two.name}”.\n" in said
    two.end()
    (one.folder / "b.txt").write_text("hello")
    wait_for(lambda: standings("b.txt") == [(one.name, "current"), (two.name, "behind")], 20, lambda: explained("b.txt"))
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", explained("b.txt")["devices"][1]["asked"])
    assert f"Have not read of it: “{two.name}” (asked the hub last on 20" in one.run("explain", one.folder / "b.txt").stdout
    # A hub that is ended has kept it, and nothing else here has: the device that asks is started anew, too.
    asked = explained("b.txt")["devices"][1]["asked"]
    here.hub.end()
    one.end()
    here.hub.start()
    one.start()
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)
    wait_for(lambda: standings("b.txt") == [(one.name, "current"), (two.name, "behind")], 20, lambda: explained("b.txt"))
    assert explained("b.txt")["devices"][1]["asked"] == asked
    two.start()
    here.settle()
    wait_for(lambda: standings("b.txt") == [(one.name, "current"), (two.name, "read")], 20, lambda: explained("b.txt"))


def test_who_is_in_the_way_of_a_document_holds_up_that_alone(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("hello")
    wait_for(lambda: two.contents == {"a.txt": b"hello"}, 20, lambda: two.said)
    with two.coordinated():
        with two.reading("a.txt") as reader:
            (one.folder / "a.txt").write_text("hello there")
            (one.folder / "b.txt").write_text("b")
            wait_for(lambda: two.contents.get("b.txt") == b"b", 20, lambda: two.said)

            def explained():
                # Whoever had to wait for it would be told nothing before it has ended, and so never.
                said = two.run("explain", two.folder / "a.txt").stdout
                return said if f"coordination-harness (process {reader.pid}) reads it" in said else None

            assert "Close it there, or wait" in wait_for(explained, 20, lambda: two.run("status").stdout)
            assert "coordination-harness" in two.run("status").stdout
            assert (two.folder / "a.txt").read_text() == "hello"
        wait_for(lambda: two.contents.get("a.txt") == b"hello there", 20, lambda: two.said)
        here.settle()


def test_a_device_at_rest_has_nothing_due(world):
    """Nobody wakes up to look whether there is something to do, neither we nor a library for us."""
    here = world(2)
    one, two = here.devices
    for number in range(200):
        (one.folder / f"{number}.txt").write_text(f"{number}")
    (one.folder / "large.bin").write_bytes(os.urandom(20 << 20))
    wait_for(lambda: len(two.contents) == 201, 40, lambda: two.said)
    here.settle()
    two.end()
    two.start()
    here.settle()
    quiet = [time.monotonic(), time.monotonic()]

    def are_at_rest():
        for number, device in enumerate(here.devices):
            if is_anything_due(device.process.pid):
                quiet[number] = time.monotonic()
        # What comes every second is set again as soon as it has come.
        return all(time.monotonic() - since > 2.5 for since in quiet)

    wait_for(are_at_rest, 60, "nothing due")
    (one.folder / "a.txt").write_text("hello")
    wait_for(lambda: is_anything_due(one.process.pid), 20, "something due")
    here.settle()


def test_contents_leave_a_device_and_come_back(world):
    here = world(2)
    one, two = here.devices
    text = os.urandom(300_000)
    (one.folder / "letters").mkdir()
    (one.folder / "letters" / "a.bin").write_bytes(text)
    (one.folder / "b.txt").write_text("small")
    here.settle()
    done = two.run("evict", two.folder / "letters")
    assert done.returncode == 0, done.stderr
    placeholder = two.folder / "letters" / ".a.bin.icloud"
    assert placeholder.exists() and not (two.folder / "letters" / "a.bin").exists()
    assert plistlib.loads(placeholder.read_bytes())["NSURLFileSizeKey"] == len(text)
    # Killed, it still knows; the name goes with the placeholder.
    two.kill()
    two.start()
    wait_for(lambda: two.is_in_step, 20, lambda: two.said)
    placeholder.rename(two.folder / ".c.bin.icloud")
    wait_for(lambda: (one.folder / "c.bin").exists(), 20, lambda: two.said)
    assert (one.folder / "c.bin").read_bytes() == text
    wait_for(lambda: two.is_in_step, 20, lambda: two.said)
    assert not (two.folder / "c.bin").exists()
    here.hub.kill()
    wait_for(lambda: not two.is_in_step, 20, lambda: two.said)
    failed = two.run("download", two.folder / "c.bin")
    assert failed.returncode == 1 and "no line to the hub" in failed.stderr
    (two.folder / "new.txt").write_text("not at the hub")

    def kept():
        done = two.run("evict", two.folder / "new.txt")
        assert done.returncode == 1, done.stdout
        return "not at the hub" in done.stderr

    # Before it has been read that is what is said.
    wait_for(kept, 20, lambda: two.said)
    here.hub.start()
    wait_for(lambda: two.is_in_step, 60, lambda: two.said)
    come = two.run("download", "--json", two.folder / "c.bin")
    assert come.returncode == 0, come.stderr
    assert (two.folder / "c.bin").read_bytes() == text and not (two.folder / ".c.bin.icloud").exists()
    here.settle()


def room(*folders):
    """What folders and all in them take of the disk; what has two names once."""
    found = {}
    for place, _, names in (entry for folder in folders for entry in os.walk(folder)):
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                status = os.lstat(os.path.join(place, name))
                found[status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def test_a_large_document_is_on_each_disk_once(world, base):
    """By two names; also when a program has written into it in its place, and when the device was killed meanwhile."""
    here = world(2)
    one, two = here.devices
    content = bytearray(os.urandom(24 << 20))
    (one.folder / "film.bin").write_bytes(content)

    def holds_all(folder):
        return (folder / "film.bin").exists() and (folder / "film.bin").read_bytes() == content

    def links():
        return [(device.folder / "film.bin").stat().st_nlink for device in here.devices]

    def rooms():
        return [room(device.folder, base / f"home {device.name}") for device in here.devices]

    def wait_until_once():
        # What else had it for a moment has let go of it a moment later.
        wait_for(
            lambda: links() == [2, 2] and max(rooms()) < len(content) + (4 << 20),
            20,
            lambda: f"{links()} {rooms()} {one.said} {two.said}",
        )

    wait_for(lambda: holds_all(two.folder), 40, lambda: two.said)
    here.settle()
    wait_until_once()
    # In the place of the third part, as a program does that keeps what it works on in one file.
    changed = os.urandom(1 << 20)
    content[8 << 20:9 << 20] = changed
    with open(one.folder / "film.bin", "r+b") as file:
        file.seek(8 << 20)
        file.write(changed)
    for _ in range(3):
        for device in here.devices:
            device.kill()
            device.start()
            wait_for(lambda: device.run("status").returncode in (0, 1), 20, lambda: device.said)
    wait_for(lambda: holds_all(two.folder), 60, lambda: two.said)
    here.settle()
    assert holds_all(one.folder)
    wait_for(lambda: links() == [2, 2], 20, lambda: f"{links()} {one.said} {two.said}")
    done = two.run("evict", two.folder / "film.bin")
    assert done.returncode == 0, done.stderr
    # The vault lets go of it when the command has been answered.
    wait_for(lambda: room(two.folder, base / f"home {two.name}") < 4 << 20, 20, "the contents are still on the disk")
    done = two.run("download", two.folder / "film.bin")
    assert done.returncode == 0, done.stderr
    assert holds_all(two.folder)
    here.settle()
    wait_until_once()


def read_qr_code(shown, folder):
    """What a reader of QR codes makes of the one on a terminal."""
    lines = re.findall("\x1b\\[38;5;16;48;5;231m([ ▀▄█]+)\x1b\\[0m\n", shown)
    rows = [[sign in dark for sign in line] for line in lines for dark in ("▀█", "▄█")]
    scale = 4
    picture = folder / "code.pbm"
    with open(picture, "w") as file:
        file.write(f"P1 {scale * len(rows[0])} {scale * len(rows)}\n")
        for row in rows:
            line = "".join("01"[isDark] * scale for isDark in row) + "\n"
            file.write(line * scale)
    done = subprocess.run(["zbarimg", "--quiet", "--raw", picture], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + shown
    return done.stdout.strip()


def test_a_device_joins_by_the_qr_code_that_another_shows(base):
    hub = Hub(SHEAF, base)
    hub.start()
    one, two = Device(SHEAF, base, "one"), Device(SHEAF, base, "two")
    try:
        one.begin(hub)
        first, second = one.share(hub, two, read_code=lambda shown: read_qr_code(shown, base))
        assert "has the keys now" in first and "is joined" in second, first + second
        (one.folder / "a.txt").write_text("hello")
        for device in (one, two):
            device.start()
        wait_for(lambda: two.contents == {"a.txt": b"hello"}, 20, lambda: two.said)
        # Typed without the hub's part, it names no hub.
        refused = two.run("join", base / "other", "--code", "7K3M-9QXD-2H8C")
        assert refused.returncode != 0 and "--hub is missing" in refused.stderr
    finally:
        for process in (one, two, hub):
            process.end()


def test_nothing_is_shared_when_the_phrases_differ(base):
    hub = Hub(SHEAF, base)
    hub.start()
    try:
        one, two = Device(SHEAF, base, "one"), Device(SHEAF, base, "two")
        one.begin(hub)
        first, second = one.share(hub, two, answers=("yes", "no"))
        assert "phrases were not the same" in first + second
        assert "is joined" not in second
        assert two.run("up").returncode == 1
    finally:
        hub.end()


def test_a_hub_that_cannot_be_reached_is_said(base):
    device = Device(SHEAF, base, "one")
    done = device.run("join", device.folder, "--hub", "http://127.0.0.1:1", "--invitation", "X")
    assert done.returncode == 1
    assert "Check that the server runs" in done.stderr


@pytest.fixture
def mount(base):
    """Mounts a volume in the machine's memory, or what is at another folder; what is still mounted at the end is unmounted."""
    mounted = []

    def run(folder, source=None):
        folder.mkdir(parents=True, exist_ok=True)
        how = ["-t", "tmpfs", "none"] if source is None else ["--bind", source]
        if subprocess.run(["mount", *how, folder], capture_output=True).returncode != 0:
            pytest.skip("nothing can be mounted here")
        mounted.append(folder)

    yield run
    for folder in reversed(mounted):
        subprocess.run(["umount", "-l", folder], capture_output=True)


def unmount(place, *options):
    """Unmounts a volume once nobody looks at anything on it any more; what has just come there is looked at."""
    wait_for(
        lambda: subprocess.run(["umount", *options, place], capture_output=True).returncode == 0, 20, f"{place} is in use"
    )


@pytest.mark.parametrize("how", ["unmounted", "unmounted lazily", "unmounted, and kept elsewhere", "moved"])
def test_a_folder_that_goes_while_it_is_kept_in_step_deletes_nothing(base, mount, world, how):
    place, aside, bare = base / "device-1", base / "aside", base / "bare"
    if how == "unmounted, and kept elsewhere":
        mount(aside)
        mount(place, aside)
    elif how != "moved":
        mount(place)
    here = world(2)
    one, two = here.devices
    for number in range(10):
        (one.folder / f"{number}.txt").write_text(f"precious {number}")
    (one.folder / "sub").mkdir()
    (one.folder / "sub" / "deep.txt").write_text("precious")
    here.settle()
    kept = one.contents
    assert len(kept) == 12
    if how == "moved":
        place.rename(aside)
        place.mkdir()
    else:
        unmount(place, *(["-l"] if "lazily" in how else []))
    assert two.contents == {}

    def is_said():
        said = two.run("status")
        return said.returncode == 1 and "nothing is taken for deleted" in said.stdout

    wait_for(is_said, 20, lambda: two.run("status").stdout + two.said)
    (one.folder / "new.txt").write_text("new")
    kept["new.txt"] = b"new"
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)
    explained = json.loads(two.run("explain", "--json", two.folder / "0.txt").stdout)
    assert "Mount its volume" in explained["next"], explained
    assert one.contents == kept and two.contents == {}
    if how == "moved":
        place.rename(bare)
        aside.rename(place)
    elif how == "unmounted, and kept elsewhere":
        mount(place, aside)
    else:
        # What was on it is lost, and on the other device.
        return
    here.settle()
    assert one.contents == kept
    (two.folder / "sub" / "later.txt").write_text("later")
    wait_for(lambda: one.contents.get("sub/later.txt") == b"later", 20, lambda: two.said)


def test_a_volume_below_the_folder_that_is_unmounted_deletes_nothing(base, mount, world):
    disk = base / "device-1" / "disk"
    mount(disk)
    here = world(2)
    one, two = here.devices
    wait_for(lambda: "disk" in one.contents, 20, lambda: two.said)
    for number in range(10):
        (one.folder / "disk" / f"{number}.txt").write_text(f"precious {number}")
    (one.folder / "beside.txt").write_text("beside")
    here.settle()
    kept = one.contents
    assert len(kept) == 12
    unmount(disk)

    def is_said():
        said = two.run("status")
        return said.returncode == 1 and "What was mounted at “disk” is not mounted" in said.stdout

    wait_for(is_said, 20, lambda: two.run("status").stdout + two.said)
    two.kill()
    two.start()
    wait_for(is_said, 20, lambda: two.run("status").stdout + two.said)
    # All else goes on.
    (two.folder / "beside.txt").unlink()
    del kept["beside.txt"]
    wait_for(lambda: one.contents == kept, 20, lambda: two.said)
    # The bare folder goes, and nothing of what was on the volume: that comes back.
    disk.rmdir()
    here.settle()
    assert one.contents == kept
    shutil.rmtree(disk)
    wait_for(lambda: one.contents == {}, 20, lambda: two.said)


def test_killed_again_and_again_all_come_to_the_same(world, base):
    """No line that somebody wrote and nobody threw away is lost, and no temporary file stays."""
    seed = int(os.environ.get("SYNC_SEED", random.randrange(1, 100_000)))
    seconds = float(os.environ.get("SYNC_SECONDS", 12))
    print(f"SYNC_SEED={seed}")
    choice = random.Random(seed)
    here = world(3)
    # People who hurry like these would be asked all the time. Once each runs: it is to hear of it.
    here.settle()
    for device in here.devices:
        device.run("decide", device.folder, "--brake", "off", check=True)
    people = People(base, choice)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if choice.random() < 0.05:
            victim = choice.choice([*here.devices, here.hub])
            victim.kill()
            victim.start()
            people.story.append(f"{time.monotonic():.3f} {victim.log} killed")
        people.act(choice.choice(here.devices))
        people.pause(0.05, here.devices)
    for process in [*here.devices, here.hub]:
        assert process.is_running, process.said[-2000:]
    wait_for(lambda: not people.bring_back(here.devices), 40, lambda: people.bring_back(here.devices))
    try:
        here.settle()
    except AssertionError:
        print("\n".join(people.story))
        raise
    lost = people.lost(here.devices)
    people.look(here.devices)
    if lost or people.half:
        print("\n".join(people.story))
    assert lost == {} and people.half == set(), f"SYNC_SEED={seed}"
    assert people.looks > 0
    for device in here.devices:
        assert not [name for name in device.contents if name.startswith(".")], device.contents


def test_a_hub_that_was_put_back_to_a_backup_is_healed(world, base):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("before")
    here.settle()
    here.hub.back_up(base / "backup")
    (two.folder / "a.txt").write_text("after")
    (one.folder / "b.txt").write_text("new")
    wait_for(lambda: (two.folder / "b.txt").exists(), 20, lambda: two.said)
    here.settle()
    expected = {"a.txt": b"after", "b.txt": b"new"}
    assert one.contents == expected
    here.hub.end()
    here.hub.put_back(base / "backup")
    here.hub.start()
    wait_for(lambda: "was put back" in one.said and "was put back" in two.said, 60, lambda: one.said + two.said)
    here.settle()
    assert one.contents == expected and one.conflicts("a.txt") == []
    # What the hub has got again is enough for a third.
    third = Device(SHEAF, base, "third")
    one.share(here.hub, third)
    third.start()
    here.devices.append(third)
    here.settle()
    assert third.contents == expected


def test_what_is_written_over_one_by_one_waits_for_a_person_who_can_go_back(world):
    here = world(2)
    one, two = here.devices
    names = [f"{number}.txt" for number in range(12)]
    said = one.run("decide", one.folder, "--brake", "30%", "--at-least", "5")
    assert said.returncode == 0 and "more than 30 %" in said.stdout, said.stderr
    assert two.run("decide", two.folder, "--brake", "off").returncode == 0
    for name in names:
        (one.folder / name).write_text(f"good {name}")
    here.settle()
    good = one.contents
    # A start reads what was set.
    one.end()
    one.start()
    here.settle()

    def status(device):
        return json.loads(device.run("status", "--json").stdout)[0]

    assert status(one)["brakeLimits"] == {"isOff": False, "sharePercent": 30, "countMin": 5}
    assert status(two)["brakeLimits"]["isOff"] is True
    for number, name in enumerate(names):
        (one.folder / name).write_text("garbage")
        wait_for(
            lambda name=name: two.contents.get(name) == b"garbage" or status(one)["brakes"], 20, lambda: one.said
        )
    wait_for(lambda: sum(brake["waitingCount"] for brake in status(one)["brakes"]) == 8, 20, lambda: one.said)
    brake = status(one)["brakes"][0]
    assert brake["doneCount"] == 4 and brake["restorePoint"] > 0, brake
    assert f"restore point: entry {brake['restorePoint']} of the log" in one.run("status").stdout
    assert list(two.contents.values()).count(b"garbage") == 4
    assert one.run("decide", one.folder, "--go-on").returncode == 0
    wait_for(lambda: list(two.contents.values()).count(b"garbage") == 12, 20, lambda: two.said)
    here.settle()
    assert "--back" in one.run("status").stdout
    back = one.run("decide", one.folder, "--back")
    assert back.returncode == 0 and "12 items come back" in back.stdout, back.stdout + back.stderr
    wait_for(lambda: two.contents == good, 20, lambda: two.said)
    here.settle()
    assert one.contents == good
    none = two.run("decide", two.folder, "--back")
    assert none.returncode != 0 and "No large change" in none.stderr, none.stderr


def test_the_log_says_what_has_happened_and_goes_on_with_what_does(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "before.txt").write_text("x")
    here.settle()
    said = two.run("log")
    assert said.returncode == 0 and f"{two.folder}: received before.txt" in said.stdout, said.stdout
    events = [json.loads(line) for line in two.run("log", "--json").stdout.splitlines()]
    received = [event for event in events if event["text"] == "received before.txt"]
    assert len(received) == 1 and received[0]["folder"] == str(two.folder) and not received[0]["isWrong"], events
    with subprocess.Popen(
        [SHEAF, "log", "-f"],
        env={**os.environ, "SHEAF_AGENT": "off", **two.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as following:
        try:
            lines = []
            reader = threading.Thread(target=lambda: lines.extend(iter(following.stdout.readline, "")), daemon=True)
            reader.start()
            wait_for(lambda: any("received before.txt" in line for line in lines), 20, lambda: lines)
            (one.folder / "after.txt").write_text("y")
            wait_for(lambda: any("received after.txt" in line for line in lines), 20, lambda: lines)
            here.hub.kill()
            wait_for(lambda: any(" ! " in line and "no line to the hub" in line for line in lines), 20, lambda: lines)
            # Nobody is there any more to tell of anything.
            two.end()
            assert following.wait(20) != 0
            reader.join(20)
            assert "sheaf up" in lines[-1], lines
        finally:
            following.kill()
    told = [event.split(": ", 1)[1] for event in lines if "received" in event]
    assert told == ["received before.txt\n", "received after.txt\n"]


def test_who_begins_is_not_said_to_be_absent(world):
    here = world(1)
    [one] = here.devices
    here.settle()
    one.end()
    for number in range(10_000):
        (one.folder / f"{number}.txt").write_text(f"{number}")
    one.start()
    said = []
    while not said or str(one.folder) not in said[-1]:
        status = one.run("status")
        said.append(status.stderr + status.stdout)
        assert len(said) < 1000, said[-1]
    begun = [text for text in said if "has just begun" in text]
    # Before it begins it does not run, and once it has begun it answers.
    absent = [text for text in said if "Nothing is kept in step" in text]
    assert begun and said[:-1] == absent + begun, said
    # What says that somebody begins is gone with that.
    assert not (Path(one.environment["SHEAF_RUNTIME_DIR"]) / "sync.beginning").exists()


def test_what_waits_says_since_when(world):
    here = world(2)
    one, _ = here.devices
    (one.folder / "a.txt").write_text("x")
    here.settle()
    here.hub.kill()
    wait_for(lambda: not one.is_in_step, 20, lambda: one.said)
    before = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    (one.folder / "a.txt").write_text("newer")

    def causes():
        return json.loads(one.run("explain", "--json", one.folder / "a.txt").stdout)["causes"]

    def both_causes():
        found = [cause for cause in causes() if cause["kind"] != "justChanged"]
        return found if len(found) > 1 and found[-1]["kind"] == "offline" else None

    found = wait_for(both_causes, 20, lambda: f"{causes()} {one.said}")
    changed, offline = (datetime.datetime.fromisoformat(cause["since"]) for cause in (found[0], found[-1]))
    assert offline <= changed and before <= changed, found
    here.hub.start()
    here.settle()
    assert [cause.get("since") for cause in causes()] == [None]
