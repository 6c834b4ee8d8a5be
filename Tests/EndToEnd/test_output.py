"""What becomes of the command when nobody takes what it says."""

import contextlib
import fcntl
import os
import signal
import subprocess

import pytest

from devices import wait_for
from test_sync import SHEAF, base, world  # noqa: F401: fixtures


def recovery_key(said):
    return " ".join(line.strip() for line in said.splitlines() if line.startswith("    ") and "sheaf" not in line)


def run(*words, **streams):
    return subprocess.run([SHEAF, *words], stdin=subprocess.DEVNULL, timeout=30, **streams)


def begun(device, *by, **streams):
    """Keeps a device's folders in step, its words where they are to go; begun by another command, if there is one."""
    return subprocess.Popen(
        [*by, SHEAF, "up"],
        env={**os.environ, "SHEAF_AGENT": "off", **device.environment},
        stdin=subprocess.DEVNULL,
        **streams,
    )


def test_what_cannot_be_said_is_an_error_and_no_crash():
    with open("/dev/full", "w") as full:
        said = run("--version", stdout=full, stderr=subprocess.PIPE, text=True)
        assert said.returncode == 1 and "standard output" in said.stderr
        assert run("bogus", stderr=full).returncode == 2
        assert run("--version", stdout=full, stderr=full).returncode == 1
    assert subprocess.run(f"'{SHEAF}' --version >&- 2>&-", shell=True, timeout=30).returncode == 1


def test_a_disk_that_takes_no_more_of_what_is_said_ends_nothing(world):
    here = world(2)
    one, two = here.devices
    here.settle()
    two.end()
    with open("/dev/full", "w") as full:
        process = begun(two, stdout=full, stderr=full)
    try:
        (one.folder / "a.txt").write_text("text")
        wait_for(lambda: (two.folder / "a.txt").exists(), 30, "it does not come")
        wait_for(lambda: two.run("status").returncode == 0, 30, "it is not in step")
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(timeout=30)
    two.start()
    here.settle()


@pytest.mark.parametrize("has_gone", [False, True])
def test_who_does_not_read_what_is_said_holds_up_nothing(world, has_gone):
    here = world(2)
    one, two = here.devices
    here.settle()
    two.end()
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    if has_gone:
        os.close(reader)
    else:
        os.set_blocking(writer, False)
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writer, b"x" * 512)
        os.set_blocking(writer, True)
    process = begun(two, stdout=writer, stderr=writer)
    os.close(writer)
    try:
        for name in ("a.txt", "b.txt"):
            (one.folder / name).write_text("text")
            wait_for(lambda: (two.folder / name).exists(), 30, "it does not come")
            wait_for(lambda: two.run("status").returncode == 0, 30, "it is not in step")
            # What is wrong is said, too.
            here.hub.kill()
            wait_for(lambda: two.run("status").returncode != 0, 30, "no word of the hub")
            here.hub.start()
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(timeout=30)
    assert process.returncode == 0 or has_gone
    two.start()
    here.settle()


def test_the_end_of_its_terminal_ends_it_in_order_unless_it_is_to_outlive_that(world):
    here = world(1)
    [one] = here.devices
    here.settle()
    one.end()
    with open(one.log, "ab") as log:
        # These tests may run under nohup themselves.
        process = begun(one, "env", "--default-signal=HUP", stdout=log, stderr=log)
        wait_for(lambda: one.run("status").returncode == 0, 30, lambda: one.said)
        process.send_signal(signal.SIGHUP)
        assert process.wait(timeout=30) == 0, one.said
        process = begun(one, "nohup", stdout=log, stderr=log)
    try:
        wait_for(lambda: one.run("status").returncode == 0, 30, lambda: one.said)
        process.send_signal(signal.SIGHUP)
        (one.folder / "a.txt").write_text("text")
        wait_for(lambda: one.run("explain", one.folder / "a.txt").returncode == 0, 30, lambda: one.said)
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(timeout=30)
    one.start()
    here.settle()


def test_a_recovery_key_that_nobody_has_seen_takes_the_place_of_none(world):
    here = world(1)
    [one] = here.devices
    here.settle()
    shown = one.run("recovery", one.folder)
    assert shown.returncode == 0, shown.stderr
    paper = recovery_key(shown.stdout)
    with open("/dev/full", "w") as full:
        replaced = subprocess.run(
            [SHEAF, "recovery", one.folder, "--replace"],
            env={**os.environ, "SHEAF_AGENT": "off", **one.environment},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert replaced.returncode == 1 and "standard output" in replaced.stderr
    checked = one.run("recovery", one.folder, "--check", input=paper + "\n")
    assert checked.returncode == 0 and "It is right" in checked.stdout, checked.stdout + checked.stderr
