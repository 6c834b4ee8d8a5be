"""Files and packages that programs are writing while real processes keep them in step."""

import contextlib
import os
import subprocess
import time

from devices import wait_for
from test_sync import base, world  # noqa: F401: fixtures

STEPS = """
import os, select, sys
files, is_resting = [], False
while True:
    while not select.select([sys.stdin], [], [], 0.1)[0]:
        for file in [] if is_resting else files:
            last = file.tell() - 1
            os.pwrite(file.fileno(), os.pread(file.fileno(), 1, last), last)
    word, *rest = sys.stdin.readline().split() or ["end"]
    if word == "end":
        break
    elif word == "rest":
        is_resting = True
    elif word == "close":
        files.pop(0).close()
    else:
        is_resting = False
        if word == "open":
            files.append(open(rest[0], "w+b", buffering=0))
        files[-1].write(rest[-1].encode() * 100_000)
    print(word, flush=True)
"""


@contextlib.contextmanager
def program(folder):
    """Another program, that takes steps in a folder one after another."""
    process = subprocess.Popen(
        ["python3", "-c", STEPS], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def step(line):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == line.split()[0]

    yield step, process
    process.stdin.close()
    assert process.wait(20) == 0


def sizes_until(device, name, condition, what):
    """All sizes that a file has on a device until something holds."""
    seen = set()

    def look():
        seen.add(len(device.contents.get(name) or b""))
        return condition()

    wait_for(look, 20, what)
    return seen


def test_a_file_that_is_rewritten_in_place_is_never_half_elsewhere(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "big.bin").write_bytes(b"A" * 1_000_000)
    here.settle()
    seen = set()
    with program(one.folder) as (step, process):
        for part in range(10):
            step("write B" if part else "open big.bin B")
            # Something else is saved, so that the folder is looked at.
            (one.folder / "beside.txt").write_text(str(part))
            arrived = lambda part=part: two.contents.get("beside.txt") == str(part).encode()  # noqa: E731
            seen |= sizes_until(two, "big.bin", arrived, lambda: two.said)
        assert not one.is_in_step
        said = one.run("explain", one.folder / "big.bin")
        assert said.returncode == 1
        assert f"open in a program that writes it: python3 (process {process.pid})" in said.stdout
        assert "big.bin" in one.run("status").stdout
        step("close")
    whole = lambda: two.contents["big.bin"] == b"B" * 1_000_000  # noqa: E731
    seen |= sizes_until(two, "big.bin", whole, lambda: two.said)
    assert seen == {1_000_000}
    here.settle()
    assert "the same here and at the hub" in one.run("explain", one.folder / "big.bin").stdout


def test_a_file_that_stays_open_is_not_called_the_same_and_comes_when_it_is_quiet(world):
    here = world(2)
    one, two = here.devices
    with program(one.folder) as (step, _):
        step("open log.bin 1")
        step("rest")
        wait_for(lambda: two.contents.get("log.bin") == b"1" * 100_000, 20, lambda: two.said)
        here.settle()
        step("write 2")
        wait_for(lambda: not one.is_in_step, 5, lambda: one.run("status").stdout)
        assert one.run("explain", one.folder / "log.bin").returncode == 1
        step("rest")
        wait_for(lambda: len(two.contents["log.bin"]) == 200_000, 40, lambda: two.said)
        here.settle()


def test_what_a_program_has_open_is_not_evicted_and_what_it_writes_after_a_removal_is_kept(world):
    here = world(2)
    one, two = here.devices
    log = one.folder / "log.bin"
    with program(one.folder) as (step, process):
        step("open log.bin 1")
        step("rest")
        wait_for(lambda: two.contents.get("log.bin") == b"1" * 100_000, 20, lambda: two.said)
        here.settle()
        said = one.run("evict", log)
        assert said.returncode == 1
        assert f"“log.bin” stays here, as a program has it open for writing: python3 (process {process.pid})" in said.stderr
        assert one.contents.keys() == {"log.bin"}
        (two.folder / "log.bin").unlink()
        wait_for(lambda: not log.exists(), 20, lambda: one.said)
        here.settle()
        step("write 2")
        step("close")
        whole = b"1" * 100_000 + b"2" * 100_000
        for device in here.devices:
            wait_for(lambda device=device: device.contents.get("log.bin") == whole, 20, lambda: one.said)
    here.settle()
    assert one.run("evict", log).returncode == 0
    assert not log.exists()


def test_a_package_that_is_copied_in_arrives_whole(world, base):
    here = world(2)
    one, two = here.devices
    package = one.folder / "p.rtfd"
    seen = set()

    def count():
        return len([name for name in two.contents if name.startswith("p.rtfd/")])

    def look_until(condition):
        def look():
            seen.add(count())
            is_so = condition()
            # What has come between the two is seen, too.
            seen.add(count())
            return is_so

        wait_for(look, 20, lambda: one.said + two.said)

    with program(one.folder) as (step, _):
        package.mkdir()
        for part in range(6):
            # One member is open all the while.
            step(f"open p.rtfd/{part}.txt 1")
            if part > 0:
                step("close")
            (one.folder / "beside.txt").write_text(str(part))
            look_until(lambda part=part: two.contents.get("beside.txt") == str(part).encode())
        step("close")
    look_until(lambda: count() == 6)
    assert seen == {0, 6}
    here.settle()
    # As cp does it, in one go, with folders in it.
    source = base / "source.rtfd"
    for number in range(40):
        folder = source / f"folder {number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.bin").write_bytes(os.urandom(50_000))
    # Half a second without a step is its end: what took nearly as long may have paused.
    for attempt in range(20):
        copy = f"copy {attempt}.rtfd"
        began = time.monotonic()
        subprocess.run(["cp", "-a", source, one.folder / copy], check=True)
        if time.monotonic() - began < 0.4:
            break
    else:
        raise AssertionError("no copy was made within 0.4 s")
    seen.clear()

    def files():
        return len([name for name in two.contents if name.startswith(f"{copy}/") and name.endswith(".bin")])

    def look():
        seen.add(files())
        return files() == 40

    wait_for(look, 20, lambda: one.said + two.said)
    assert seen <= {0, 40}
    here.settle()
