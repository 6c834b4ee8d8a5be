"""A folder that the hub's owner removes from the hub, with real processes."""

import json
import subprocess

from devices import wait_for
from test_sync import base, world  # noqa: F401: fixtures


def at_hub(hub, *words):
    done = subprocess.run([hub.sheaf, "hub", "--data", hub.data, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def folders(hub):
    return json.loads(at_hub(hub, "folders", "--json"))


def expect_told(device, container, *changed):
    """The commands that say how things stand say what has become of the folder at the hub, and what helps."""
    for words in (("status",), *(("explain", device.folder / name) for name in changed)):
        told = f"sheaf hub keep {container}"
        wait_for(lambda words=words: told in device.run(*words).stdout, 40, lambda: device.said)
        said = device.run(*words)
        assert said.returncode == 1 and "the hub's owner has removed this folder" in said.stdout, said.stdout
        assert f"sheaf revoke {device.folder} {device.name} --without-hub" in said.stdout, said.stdout
    doctor = device.run("doctor")
    assert "the hub's owner has removed this folder" in doctor.stdout + doctor.stderr, doctor.stdout + doctor.stderr


def test_devices_say_so_lose_nothing_and_begin_nothing_again(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("a")
    wait_for(lambda: two.contents == {"a.txt": b"a"}, 20, lambda: two.said)
    here.settle()

    def readers():
        [found] = folders(here.hub)
        return {device["name"] for device in found["devices"] if "asked" in device}

    # Who has read it is written down within a second or two.
    wait_for(lambda: readers() == {one.name, two.name}, 20, lambda: at_hub(here.hub, "folders"))
    container = folders(here.hub)[0]["id"]
    at_hub(here.hub, "remove", container, "--yes")
    (two.folder / "b.txt").write_text("b")
    (one.folder / "a.txt").write_text("of the first")
    for device, name in ((one, "a.txt"), (two, "b.txt")):
        expect_told(device, container, name)
    # Started anew it is the same, at the hub and on a device.
    here.hub.end()
    here.hub.start()
    one.end()
    one.start()
    expect_told(one, container, "a.txt")
    assert one.contents == {"a.txt": b"of the first"} and two.contents == {"a.txt": b"a", "b.txt": b"b"}
    assert folders(here.hub)[0]["standing"] == "removed"
    # Kept again they go on by themselves.
    at_hub(here.hub, "keep", container)
    expected = {"a.txt": b"of the first", "b.txt": b"b"}
    wait_for(lambda: one.contents == two.contents == expected, 60, lambda: one.said + two.said)
    here.settle()
    assert "removed this folder" not in one.run("status").stdout


def test_a_folder_is_begun_anew_at_the_hub_that_has_removed_it(world):
    here = world(1)
    [one] = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    [found] = folders(here.hub)
    at_hub(here.hub, "remove", found["id"], "--yes")
    expect_told(one, found["id"])
    one.end()
    left = one.run("revoke", one.folder, one.name, "--without-hub", "--yes")
    assert left.returncode == 0, left.stdout + left.stderr
    joined = one.run("join", one.folder, "--hub", here.hub.address, "--invitation", here.hub.invite(), "--name", "anew")
    assert joined.returncode == 0, joined.stdout + joined.stderr
    one.start()
    wait_for(lambda: one.is_in_step, 40, lambda: one.said)
    assert one.contents == {"a.txt": b"a"}
    [former, present] = folders(here.hub)
    assert (former["id"], former["standing"]) == (found["id"], "removed")
    assert present["standing"] == "kept" and present["commitCount"] >= 2
