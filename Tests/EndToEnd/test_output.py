"""What becomes of the command when nobody takes what it says."""

import os
import subprocess

from devices import wait_for
from test_sync import SHEAF, base, world  # noqa: F401: fixtures


def recovery_key(said):
    return " ".join(line.strip() for line in said.splitlines() if line.startswith("    ") and "sheaf" not in line)


def run(*words, **streams):
    return subprocess.run([SHEAF, *words], stdin=subprocess.DEVNULL, timeout=30, **streams)


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
        process = subprocess.Popen(
            [SHEAF, "up"],
            env={**os.environ, "SHEAF_AGENT": "off", **two.environment},
            stdin=subprocess.DEVNULL,
            stdout=full,
            stderr=full,
        )
    try:
        (one.folder / "a.txt").write_text("text")
        wait_for(lambda: (two.folder / "a.txt").exists(), 30, "it does not come")
        assert two.run("status").returncode == 0
        assert process.poll() is None
    finally:
        process.terminate()
        process.wait(timeout=30)
    two.start()
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
