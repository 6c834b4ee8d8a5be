"""Measures two devices and a hub, each a process of its own, beside syncthing, unison, rsync, rclone and watchman.

    sync.py --binary FILE --sealing FILE --work FOLDER --output FILE

Durable on every side, and sealed: what a peer does not do is not taken from its time. A peer that is not there is left
out, and said to be. What sealing costs by itself was measured before, in the same run.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import time

import peers_sync as peers
from devices import Device, Hub, wait_for

MEBIBYTE = 1 << 20
SAVES = 40
LARGE_CHANGES = 7
PACKAGE_CHANGES = 11
STARTS = 9
FIRST_SYNCS = 3
IDLE_SECONDS = 60
# Ten thousand take it minutes.
SYNCTHING_RENAMES = 100
LONG = 300


def main():
    parser = argparse.ArgumentParser()
    for name in ("--binary", "--sealing", "--work", "--output"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--only", action="append", help="one of the measurements by name")
    options = parser.parse_args()
    for program in ("syncthing", "unison", "rsync", "rclone", "watchman"):
        if not peers.is_there(program):
            print(f"bench: {program} is not there, so nothing is measured beside it")
    sealing = Sealing(options.sealing)
    figures = []
    for measure in (files, gigabyte, saves, large_file, package, many):
        if options.only and measure.__name__ not in options.only:
            continue
        work = options.work / measure.__name__
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        os.sync()
        start = time.monotonic()
        figures += measure(options.binary.absolute(), work.absolute())
        figures += sealing.shares(figures)
        print(f"bench: sync, {measure.__name__}: {time.monotonic() - start:.0f} s", flush=True)
        options.output.write_text(json.dumps(figures, indent=2, ensure_ascii=False))
    shutil.rmtree(options.work)


def figure(name, what, values, unit, goal=None, peer=None, its=None):
    """- its: What the peer took, in the same unit; None where it is not there."""
    value = statistics.median(values)
    spread = statistics.quantiles(values, n=4) if len(values) > 3 else [value] * 3
    return {
        "id": name, "what": what, "value": value, "unit": unit, "spread": spread[2] - spread[0], "runs": len(values),
        "peer": peer if its is not None else None, "peerValue": its, "ratio": value / its if its else None,
        "goal": None if goal is None else f"≤ {goal} {unit}", "met": None if goal is None else value <= goal,
    }


class Sealing:
    """What part of the processor time of a first sync is for sealing."""

    COMMITS = 1000

    def __init__(self, figures):
        self._milliseconds = {figure["id"]: figure["value"] for figure in json.loads(figures.read_text())}
        self._shared = set()

    def _blobs(self, kind, measured, count):
        """Seconds for so many blobs: sealed by one device, opened by the other, their names made by both."""
        steps = [(f"sealing-{kind}-seal", 1), (f"sealing-{kind}-open", 1), (f"sealing-{kind}-names", 2)]
        return sum(times * self._milliseconds[name] for name, times in steps) * count / measured / 1000

    def _commits(self, count):
        """Seconds for so many commits: sealed by one device, read and checked by both."""
        each = self._milliseconds["sealing-commits"] + 2 * self._milliseconds["sealing-log"]
        return each * count / self.COMMITS / 1000

    def shares(self, figures):
        spent = {figure["id"]: figure["value"] for figure in figures}
        costs = {
            "sync-files-processor": self._blobs("4k", 4096, 10_000) + self._commits(10_000),
            "sync-gibibyte-processor": self._blobs("64k", 1024, 16 * 1024),
        }
        for name, seconds in costs.items():
            if name in spent and name not in self._shared:
                self._shared.add(name)
                what = f"sealing's share of {name}, as it was measured by itself"
                yield figure(name.replace("processor", "sealing"), what, [100 * seconds / spent[name]], "%", goal=15)


class Container:
    """A hub and devices that share a container, the first of which has something in it."""

    def __init__(self, sheaf, base, count=2, fill=lambda folder: None):
        self.hub = Hub(sheaf, base)
        self.hub.start()
        self.devices = [Device(sheaf, base, f"device-{number}") for number in range(count)]
        first = self.devices[0]
        first.begin(self.hub)
        fill(first.folder)
        for other in self.devices[1:]:
            said = first.share(self.hub, other)
            assert "is joined" in said[1], said
        os.sync()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [*self.devices, self.hub]:
            process.end()

    @property
    def processes(self):
        return [self.hub, *self.devices]

    def start(self):
        for device in self.devices:
            device.start()

    def settle(self, seconds=LONG):
        for device in self.devices:
            wait_for(lambda: device.is_in_step, seconds, lambda: device.said[-2000:])


def proc(process, name):
    return pathlib.Path(f"/proc/{process.process.pid}/{name}").read_text()


def processor_seconds(process):
    fields = proc(process, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mebibytes(process, kind="VmRSS"):
    [line] = [line for line in proc(process, "status").splitlines() if line.startswith(kind + ":")]
    return int(line.split()[1]) / 1024


def loopback_bytes():
    [line] = [line for line in pathlib.Path("/proc/net/dev").read_text().splitlines() if line.strip().startswith("lo:")]
    return int(line.split()[1])


def wait_closely(condition, seconds, what):
    """Looks every half millisecond: for what is measured in milliseconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(0.0005)


def make_files(folder, count, byte_count):
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        (folder / f"{number}.txt").write_bytes(os.urandom(byte_count))


def count_of(folder):
    try:
        return sum(1 for entry in os.scandir(folder) if not entry.name.startswith("."))
    except FileNotFoundError:
        return 0


def wait_for_files(folder, count, what):
    """Counts seldom until nearly all are there: it takes time of those who bring them."""
    end = time.monotonic() + LONG
    while (found := count_of(folder)) != count:
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(0.1 if found < 0.9 * count else 0.02)


# What is measured


def files(sheaf, work):
    """First sync of 10,000 files, then their folder's rename, then a start."""
    count = 10_000
    what = f"first sync of {count:,} files of 4 KB, device to hub to device"
    took, spent = [], []
    for number in range(FIRST_SYNCS):
        base = work / f"first {number}"
        base.mkdir()
        with Container(sheaf, base, fill=lambda folder: make_files(folder / "many", count, 4096)) as here:
            one, two = here.devices
            seconds, processor = first_sync(
                here, lambda: wait_for_files(two.folder / "many", count, lambda: two.said[-2000:])
            )
            took.append(seconds)
            spent.append(processor)
            if number < FIRST_SYNCS - 1:
                continue
            renames = []
            for former, name in (("many", "moved"), ("moved", "moved again"), ("moved again", "many")):
                start = time.monotonic()
                os.rename(one.folder / former, one.folder / name)
                wait_closely((two.folder / name).exists, 60, "the folder's new name does not come")
                renames.append((time.monotonic() - start) * 1000)
                here.settle()
            # What the syncs have written is on the disk by then, as before the others' runs.
            os.sync()
            starts = [start_milliseconds(two) for _ in range(STARTS)]
    rows = [figure("sync-files-processor", f"{what}: processor time in all", spent, "s", goal=4)]
    its, its_rename = syncthing_files(work / "syncthing", count)
    rows.insert(0, figure("sync-files", what, took, "s", goal=2.5, peer="syncthing, one hop", its=its))
    source = work / "source"
    make_files(source, count, 4096)
    os.sync()
    if peers.is_there("unison"):
        (work / "unison two").mkdir()
        its = peers.unison(work, source, work / "unison two")
        rows.append(figure("sync-files-unison", what, took, "s", peer="unison, one process, not durable", its=its))
        again = peers.unison(work, source, work / "unison two") * 1000
    else:
        again = None
    if peers.is_there("rclone"):
        with peers.Rclone(work / "rclone") as rclone:
            its = rclone.sync(source)
        rows.append(figure("sync-files-rclone", what, took, "s", peer="rclone, a request for each file", its=its))
    rows.append(
        figure(
            "sync-folder-rename", f"the rename of a folder of {count:,} files, on the other device", renames, "ms",
            goal=50, peer=f"syncthing, of {SYNCTHING_RENAMES} files", its=its_rename,
        )
    )
    what = f"a start with {count:,} items, nothing changed, to up to date"
    rows.append(figure("sync-start", what, starts, "ms", goal=60, peer="unison", its=again))
    if peers.is_there("rsync"):
        peers.rsync(source, work / "rsync two")
        its = peers.rsync(source, work / "rsync two")[0] * 1000
        rows.append(figure("sync-start-rsync", what, starts, "ms", peer="rsync", its=its))
    return rows


def first_sync(here, wait):
    """Seconds until all is there, and processor seconds of all until they are in step."""
    spent = processor_seconds(here.hub)
    start = time.monotonic()
    here.start()
    wait()
    seconds = time.monotonic() - start
    here.settle()
    return seconds, sum(map(processor_seconds, here.processes)) - spent


def start_milliseconds(device):
    """From the start of the program until it says that all is in step."""
    device.end()
    with open(device.log, "rb") as log:
        # What it said before takes longer to read than the start does.
        log.seek(0, os.SEEK_END)
        said = b""

        def is_in_step():
            nonlocal said
            said += log.read()
            return b"in step" in said

        start = time.monotonic()
        device.start()
        wait_closely(is_in_step, 60, lambda: device.said[-2000:])
        return (time.monotonic() - start) * 1000


def syncthing_files(work, count):
    if not peers.is_there("syncthing"):
        return None, None
    one, two = work / "one", work / "two"
    make_files(one / "many", count, 4096)
    make_files(one / "some", SYNCTHING_RENAMES, 4096)
    os.sync()
    start = time.monotonic()
    with peers.Syncthing(work, one, two) as pair:
        wait_for_files(two / "many", count, "syncthing does not come to an end")
        seconds = time.monotonic() - start
        pair.settle(LONG)
        start = time.monotonic()
        os.rename(one / "some", one / "moved")
        wait_for(lambda: count_of(two / "moved") == SYNCTHING_RENAMES, LONG, "syncthing does not follow a rename")
        return seconds, (time.monotonic() - start) * 1000


def gigabyte(sheaf, work):
    """First sync of a gibibyte in sixteen files."""

    def fill(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(16):
            with open(folder / f"{number}.bin", "wb") as file:
                for _ in range(64):
                    file.write(os.urandom(MEBIBYTE))
        # What is on its way to the disk still would be in everybody's way.
        os.sync()

    def is_whole(folder):
        return all(
            (folder / f"{number}.bin").exists() and (folder / f"{number}.bin").stat().st_size == 64 * MEBIBYTE
            for number in range(16)
        )

    took, spent, peaks = [], [], []
    for number in range(FIRST_SYNCS):
        base = work / f"first {number}"
        base.mkdir()
        with Container(sheaf, base, fill=fill) as here:
            two = here.devices[1]
            seconds, processor = first_sync(
                here, lambda: wait_for(lambda: is_whole(two.folder), LONG, lambda: two.said[-2000:])
            )
            took.append(seconds)
            spent.append(processor)
            peaks += [resident_mebibytes(process, "VmHWM") for process in here.processes]
            room = room_mebibytes(base / "device-1", base / "home device-1")
        shutil.rmtree(base)
    print("bench: the most memory of hub and devices in MiB:", *map(round, peaks), flush=True)
    its = None
    if peers.is_there("syncthing"):
        fill(work / "one")
        start = time.monotonic()
        with peers.Syncthing(work, work / "one", work / "two"):
            wait_for(lambda: is_whole(work / "two"), LONG, "syncthing does not come to an end")
            its = time.monotonic() - start
    once = disk_seconds(work / "once")
    what = "first sync of 1 GiB in 16 files"
    return [
        figure("sync-gibibyte", what, took, "s", goal=3, peer="syncthing, one hop", its=its),
        # At the hub, and in the other device's folder.
        figure("sync-gibibyte-disk", what, took, "s", peer="as many bytes written durably, twice", its=2 * once),
        figure("sync-gibibyte-room", f"{what}: room on the second device's disk", [room], "MiB", peer="the files", its=1024),
        figure("sync-gibibyte-processor", f"{what}: processor time in all", spent, "s"),
        figure("sync-gibibyte-memory", f"{what}: the most memory that one of the processes took", [max(peaks)], "MiB", goal=64),
    ]


def room_mebibytes(*folders):
    """What folders and all in them take of the disk; what has two names once."""
    found = {}
    for folder in folders:
        for place, _, names in os.walk(folder):
            for name in names:
                status = os.lstat(os.path.join(place, name))
                found[status.st_ino] = status.st_blocks * 512
    return sum(found.values()) / MEBIBYTE


def disk_seconds(folder):
    """How long this disk takes for a gibibyte that is durable then."""
    content = os.urandom(64 * MEBIBYTE)
    folder.mkdir()
    os.sync()
    start = time.monotonic()
    for number in range(16):
        with open(folder / f"{number}.bin", "wb", buffering=0) as file:
            file.write(content)
            os.fsync(file.fileno())
    return time.monotonic() - start


def saves(sheaf, work):
    """A save on one device to the file in place on the other."""

    def times(one, two, count, rest):
        found = []
        for number in range(count):
            text = f"text {number}"
            (one / "new").write_text(text)
            start = time.monotonic()
            os.rename(one / "new", one / "a.txt")
            wait_closely(lambda: read(two / "a.txt") == text, 60, "a save does not come")
            found.append((time.monotonic() - start) * 1000)
            rest()
        return found

    def read(path):
        try:
            return path.read_text()
        except FileNotFoundError:
            return None

    with Container(sheaf, work) as here:
        here.start()
        here.settle()
        own = times(*(device.folder for device in here.devices), SAVES, here.settle)
    what = "a save on one device to the file in place on the other"
    rows = [figure("sync-file-p99", f"{what}: the slowest of {SAVES}", [max(own)], "ms", goal=150)]

    def beside(name, peer, its):
        rows.append(figure(name, what, own, "ms", goal=30, peer=peer, its=its))

    shortest, usual = (syncthing_saves(work / f"delay {delay}", times, delay) for delay in (1, 10))
    beside("sync-file", "syncthing at its shortest delay", shortest)
    beside("sync-file-usual", "syncthing as it is by itself", usual)
    if peers.is_there("unison"):
        one, two = work / "unison one", work / "unison two"
        for folder in (one, two):
            folder.mkdir()
        with peers.RepeatingUnison(work, one, two):
            beside("sync-file-unison", "unison -repeat 1", statistics.median(times(one, two, 7, lambda: None)))
    return rows


def syncthing_saves(work, times, delay):
    if not peers.is_there("syncthing"):
        return None
    one, two = work / "one", work / "two"
    with peers.Syncthing(work, one, two, delay) as pair:
        pair.settle(LONG)
        return statistics.median(times(one, two, 5 if delay == 1 else 2, lambda: pair.settle(LONG)))


def large_file(sheaf, work):
    """One byte of a large file changed, here and there, and one put in front."""
    content = os.urandom(100 * MEBIBYTE)
    rows, pairs = [], []
    with Container(sheaf, work) as here:
        here.start()
        one, two = (device.folder / "large.bin" for device in here.devices)
        one.write_bytes(content)
        wait_for(lambda: two.exists() and two.stat().st_size == len(content), LONG, "the file does not come")
        here.settle()

        def flip(content, place):
            return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]

        def change(changed):
            before = two.stat().st_ino
            # Beside the container: one in it would be a new item until it has the other's name.
            new = work / "new.part"
            new.write_bytes(changed)
            os.sync()
            sent = loopback_bytes()
            start = time.monotonic()
            os.rename(new, one)
            wait_closely(lambda: two.exists() and two.stat().st_ino != before, 60, "the change does not come")
            milliseconds = (time.monotonic() - start) * 1000
            here.settle()
            assert two.read_bytes() == changed
            # It goes to the hub and from there to the other device.
            return (loopback_bytes() - sent) / 2 / 1024, milliseconds

        kinds = (
            ("byte", "one byte changed in", lambda content, number: flip(content, number * len(content) // LARGE_CHANGES)),
            ("insert", "one byte put in front of", lambda content, number: b"+" + content),
        )
        for name, what, changed in kinds:
            found = []
            for number in range(LARGE_CHANGES):
                former, content = content, changed(content, number)
                found.append(change(content))
            pairs.append((former, content))
            its = rsync_bytes(work / f"rsync {name}", former, content)
            what = f"{what} a file of 100 MB"
            rows.append(
                figure(f"sync-{name}-bytes", f"{what}: bytes a hop, all of HTTP", [one for one, _ in found], "KiB",
                       goal=128, peer="rsync", its=its)
            )
            rows.append(
                figure(f"sync-{name}", f"{what}: until it is in place", [took for _, took in found], "ms", goal=400)
            )
    for row, its in zip(list(rows), syncthing_large(work / "syncthing", pairs)):
        rows.append({**row, "id": row["id"] + "-syncthing", "peer": "syncthing", "peerValue": its, "ratio": row["value"] / its})
    return rows


def syncthing_large(work, pairs):
    """Of each pair of contents of a large file what a change from one to the other takes: KiB, then milliseconds."""
    if not peers.is_there("syncthing"):
        return []
    found = []
    one, two = work / "one", work / "two"
    with peers.Syncthing(work, one, two) as pair:
        for former, changed in pairs:
            write_aside(one / "large.bin", former)
            wait_for(lambda: holds(two / "large.bin", former), LONG, "syncthing does not bring the file")
            pair.settle(LONG)
            found += syncthing_change(pair, lambda: write_aside(one / "large.bin", changed), two / "large.bin", changed)
    return found


def write_aside(path, content):
    new = path.parent.parent / "new.part"
    new.write_bytes(content)
    os.sync()
    os.rename(new, path)


def holds(path, content):
    return path.exists() and path.stat().st_size == len(content) and path.read_bytes() == content


def syncthing_change(pair, change, path, content):
    """KiB that went over the loopback, and milliseconds until the change was in place."""
    before = path.stat().st_ino
    sent, start = loopback_bytes(), time.monotonic()
    change()
    wait_closely(lambda: path.exists() and path.stat().st_ino != before, LONG, "syncthing does not bring the change")
    milliseconds = (time.monotonic() - start) * 1000
    # Asking whether it is at rest goes over the loopback, too.
    kibibytes = (loopback_bytes() - sent) / 1024
    assert path.read_bytes() == content
    pair.settle(LONG)
    return [kibibytes, milliseconds]


def rsync_bytes(work, content, changed):
    if not peers.is_there("rsync"):
        return None
    for name, data in (("one", changed), ("two", content)):
        (work / name).mkdir(parents=True)
        (work / name / "large.bin").write_bytes(data)
    return peers.rsync(work / "one", work / "two", "--ignore-times")[1] / 1024


def package(sheaf, work):
    """One member of a large package changed."""
    count = 10_000
    with Container(sheaf, work) as here:
        here.start()
        one, two = (device.folder / "large.rtfd" for device in here.devices)
        make_files(work / "large.rtfd", count, 1024)
        os.rename(work / "large.rtfd", one)
        wait_for_files(two, count, lambda: here.devices[1].said[-2000:])
        here.settle()
        times, bytes_sent = [], []
        for number in range(PACKAGE_CHANGES):
            text = f"changed {number}"
            sent = loopback_bytes()
            start = time.monotonic()
            (one / "77.txt").write_text(text)
            wait_closely(lambda: (two / "77.txt").read_bytes() == text.encode(), 60, "the change does not come")
            times.append((time.monotonic() - start) * 1000)
            here.settle()
            bytes_sent.append((loopback_bytes() - sent) / 2 / 1024)
    its = syncthing_member(work / "syncthing", count) or [None, None]
    what = f"one member changed in a package of {count:,}"
    peer = "syncthing, of a folder"
    return [
        figure("sync-member-bytes", f"{what}: bytes a hop, all of HTTP", bytes_sent, "KiB", goal=200, peer=peer, its=its[0]),
        figure("sync-member", f"{what}: until it is in place", times, "ms", goal=100, peer=peer, its=its[1]),
    ]


def syncthing_member(work, count):
    if not peers.is_there("syncthing"):
        return None
    one, two = work / "one", work / "two"
    make_files(one / "large.rtfd", count, 1024)
    os.sync()
    with peers.Syncthing(work, one, two) as pair:
        wait_for_files(two / "large.rtfd", count, "syncthing does not come to an end")
        pair.settle(LONG)
        text = b"changed"
        return syncthing_change(
            pair, lambda: (one / "large.rtfd" / "77.txt").write_bytes(text), two / "large.rtfd" / "77.txt", text
        )


def many(sheaf, work):
    """A device that has 100,000 items: its start, and what it and its hub take while nothing happens."""
    count = 100_000

    def fill(folder):
        for number in range(count // 1000):
            make_files(folder / f"folder {number}", 999, 16)

    with Container(sheaf, work, count=1, fill=fill) as here:
        [device] = here.devices
        device.start()
        wait_for(lambda: "in step" in device.said, LONG, lambda: device.said[-2000:])
        starts = [start_milliseconds(device) / 1000 for _ in range(3)]
        [(spent, memory), (hub_spent, hub_memory)] = minute_at_rest([device, here.hub])
    files = work / "device-0"
    what = f"a device with {count:,} items"
    start, idle, room = f"{what}: a start, nothing changed, to up to date", f"{what}: processor time in a minute in which " \
        "nothing happens", f"{what}: memory"
    rows = [
        figure("sync-idle-hub", "its hub: processor time in the same minute", [hub_spent], "s"),
        figure("sync-idle-hub-memory", "its hub: memory", [hub_memory], "MiB"),
    ]
    if peers.is_there("rsync"):
        peers.rsync(files, work / "rsync")
        its = peers.rsync(files, work / "rsync")[0]
        rows.append(figure("sync-start-many", start, starts, "s", goal=0.6, peer="rsync", its=its))
    if peers.is_there("unison"):
        peers.unison(work, files, work / "unison two")
        its = peers.unison(work, files, work / "unison two")
        rows.append(figure("sync-start-many-unison", start, starts, "s", goal=0.6, peer="unison", its=its))
    for name, peer in (("watchman", idle_watchman), ("syncthing", idle_syncthing)):
        if peers.is_there(name):
            its_start, (its_spent, its_memory) = peer(work / name, files)
            rows += [
                figure(f"sync-start-many-{name}", start, starts, "s", goal=0.6, peer=name, its=its_start),
                # A peer that takes no time at all leaves nothing to divide by.
                figure(f"sync-idle-{name}", idle, [spent], "s", goal=0, peer=f"{name}: {its_spent:.2f} s", its=its_spent),
                figure(f"sync-idle-memory-{name}", room, [memory], "MiB", goal=40, peer=name, its=its_memory),
            ]
    return rows


def minute_at_rest(processes):
    """Of each process the processor time of a minute in which nothing happens, and its memory."""
    # What a start has left to do, and what it needed, is over.
    time.sleep(5)
    before = [processor_seconds(process) for process in processes]
    time.sleep(IDLE_SECONDS)
    return [(processor_seconds(process) - spent, resident_mebibytes(process)) for process, spent in zip(processes, before)]


def idle_watchman(work, files):
    with peers.Watchman(work) as watchman:
        seconds = watchman.watch(files)
        return seconds, minute_at_rest([watchman])[0]


def idle_syncthing(work, files):
    """A node that shares its folder with nobody; its second start, until it has looked at everything."""
    node = peers.SyncthingNode(work / "syncthing", files)
    node.configure([node], delay=1)
    node.start()
    try:
        wait_for(lambda: node.has_scanned, 2 * LONG, "syncthing does not come to an end")
        node.end()
        start = time.monotonic()
        node.start()
        wait_closely(lambda: node.has_scanned, LONG, "syncthing does not come to rest")
        seconds = time.monotonic() - start
        return seconds, minute_at_rest([node])[0]
    finally:
        node.end()


if __name__ == "__main__":
    main()
