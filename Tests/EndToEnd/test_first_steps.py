"""Somebody who sets it up for the first time takes wrong turns: what is said is true, and nothing is left behind."""

import contextlib
import json
import os
import pathlib
import shutil
import sqlite3

from devices import Device, wait_for
from test_sync import SHEAF, base, world  # noqa: F401: fixtures


def test_where_nothing_is_joined_that_is_said(base):
    device = Device(SHEAF, base, "new")
    for words in (["up"], ["status"], ["log"], ["explain", base], ["evict", base], ["pause", base], ["download", base]):
        done = device.run(*words)
        assert done.returncode == 1 and "Begin with: sheaf join" in done.stderr, done.stderr


def test_a_joining_that_fails_leaves_no_folder(base):
    device = Device(SHEAF, base, "new")
    nobody = ["--hub", "http://127.0.0.1:1", "--invitation", "M7FE9-L7W8F-RB2RK-F5JN9"]
    done = device.run("join", base / "a" / "b", *nobody)
    assert done.returncode == 1 and "No answer" in done.stderr
    assert not (base / "a").exists()
    # The kernel has nothing made in a folder that is there.
    done = device.run("join", "/proc/sheaf", *nobody)
    assert done.returncode == 1 and "No such file or directory" in done.stderr, done.stderr
    folder = base / "a"
    for words in (["", *nobody], [folder, "--hub", "bla", "--invitation", "x"], [folder, "--hub", "", "--code", "x"]):
        done = device.run("join", *words)
        assert done.returncode == 2 and not (base / "a").exists(), done.stderr


def test_a_folder_joined_while_another_is_kept_waits_and_says_so(world, base):
    here = world(1)
    [one] = here.devices
    here.settle()
    done = one.run("join", base / "second", "--hub", here.hub.address, "--invitation", here.hub.invite())
    assert done.returncode == 0 and "end it, and start it again" in done.stdout, done.stderr
    again = one.run("up")
    assert again.returncode == 1 and "Another sheaf up" in again.stderr, again.stderr
    status = one.run("status")
    assert status.returncode == 1 and "it was joined after sheaf up had started" in status.stdout
    late = {found["folder"]: found for found in json.loads(one.run("status", "--json").stdout)}[str(base / "second")]
    assert late["line"] == "stopped" and not late["isSettled"] and late["lineRemedy"]
    one.end()
    one.start()
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)


def test_a_folder_that_is_away_keeps_no_other_from_being_kept_in_step(world, base):
    here = world(1)
    [one] = here.devices
    here.settle()
    one.end()
    other = base / "on a stick"
    joined = one.run("join", other, "--hub", here.hub.address, "--invitation", here.hub.invite())
    assert joined.returncode == 0, joined.stderr
    away = base / "away"
    other.rename(away)
    one.start()
    (one.folder / "a.txt").write_text("text")
    wait_for(lambda: one.run("explain", one.folder / "a.txt").returncode == 0, 30, lambda: one.said)
    status = json.loads(one.run("status", "--json").stdout)
    [waiting] = [folder for folder in status if folder["folder"] == str(other)]
    assert "is not there" in waiting["lineFailure"] and "Mount its volume" in waiting["lineRemedy"], waiting
    assert one.is_running and one.said.count("is not there") == 1, one.said
    away.rename(other)
    # Within ten seconds.
    wait_for(lambda: one.is_in_step, 30, lambda: one.said + one.run("status").stdout)
    one.end()
    # What else is wrong with it is said, too.
    settings = pathlib.Path(one.environment["SHEAF_HOME"]).glob("containers/*/settings")
    [memory] = [place.parent / "memory.sqlite" for place in settings if json.loads(place.read_text())["folder"] == str(other)]
    memory.write_bytes(b"no memory of anything" * 1000)
    one.start()
    (one.folder / "a.txt").write_text("other text")
    wait_for(lambda: one.run("explain", one.folder / "a.txt").returncode == 0, 30, lambda: one.said)
    status = {folder["folder"]: folder for folder in json.loads(one.run("status", "--json").stdout)}
    assert status[str(other)]["line"] == "stopped" and "memory.sqlite" in status[str(other)]["lineFailure"], status


def test_what_is_in_a_folder_is_not_the_folder(world):
    here = world(1)
    [one] = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    for words in (["devices"], ["decide", "--go-on"], ["recovery"]):
        done = one.run(*words, one.folder / "a.txt")
        assert done.returncode == 1 and f"is in “{one.folder}”" in done.stderr, done.stderr


def test_who_does_not_compare_is_not_told_of_somebody_in_between(world, base):
    here = world(1)
    [one] = here.devices
    here.settle()
    two = Device(SHEAF, base, "two")
    first, second = one.share(here.hub, two, answers=("", "yes"))
    assert "Nobody has said whether the phrases are the same" in first, first
    assert "Pairing was stopped" in second and "is between the devices" not in first + second, second
    assert not two.folder.exists()
    # And can do it anew.
    one.share(here.hub, two)
    two.start()
    here.devices.append(two)
    here.settle()


def settings_of(device):
    """What the device keeps of its one container."""
    [folder] = (base for base, _, names in os.walk(device.environment["SHEAF_HOME"]) if "settings" in names)
    return os.path.join(folder, "settings")


def test_who_was_let_in_knows_what_the_other_had_read(world, base):
    here = world(2)
    here.settle()
    lists = [json.loads(pathlib.Path(settings_of(device)).read_text()).get("list") for device in here.devices]
    assert lists[0] is None and lists[1]["number"] == 2 and len(lists[1]["hash"]) == 64, lists


def test_one_damaged_container_keeps_no_other_from_being_kept(world, base):
    here = world(1)
    [one] = here.devices
    here.settle()
    one.end()
    damaged = settings_of(one)
    other = base / "other"
    done = one.run("join", other, "--hub", here.hub.address, "--invitation", here.hub.invite())
    assert done.returncode == 0, done.stderr
    with open(damaged, "w") as file:
        file.write("{")
    (other / "a.txt").write_text("kept")
    one.start()
    wait_for(lambda: "in step" in one.said and "is damaged" in one.said, 20, lambda: one.said)
    wait_for(lambda: "has just begun" not in one.run("status").stderr, 20, lambda: one.said)
    done = one.run("status")
    assert done.returncode == 1 and f"“{damaged}” is damaged" in done.stdout, done.stdout + done.stderr
    assert "next: Put it back from a backup" in done.stdout and f"{other} (" in done.stdout, done.stdout
    [whole, lost] = json.loads(one.run("status", "--json").stdout)
    assert whole["folder"] == str(other) and whole["isSettled"] and not lost["isSettled"], (whole, lost)
    for words in (["devices", other], ["decide", other, "--brake", "40%"], ["diagnose"]):
        done = one.run(*words)
        assert done.returncode == 0, (words, done.stdout + done.stderr)
    assert "its file settings is damaged" in done.stdout, done.stdout
    assert "hub" in whole and "hub" not in lost, (whole, lost)
    done = one.run("pair")
    assert done.returncode == 1 and "Say which: sheaf pair FOLDER" in done.stderr, done.stderr
    # Which folder it is of nobody can tell: whoever asks about that reads why.
    done = one.run("devices", one.folder)
    assert done.returncode == 1 and f"“{damaged}” is damaged" in done.stderr, done.stderr


def assert_found(device, text):
    """The doctor finds that something is wrong with a file of the device."""
    done = device.run("doctor", "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    found = [found for found in json.loads(done.stdout)["findings"] if found["kind"] == "deviceFile"]
    assert len(found) == 1 and text in found[0]["text"] and "sheaf join" in found[0]["remedy"], found


def test_a_damaged_file_of_the_device_is_named(world):
    here = world(1)
    [one] = here.devices
    here.settle()
    one.end()
    [settings] = (base for base, _, names in os.walk(one.environment["SHEAF_HOME"]) if "settings" in names)
    with open(os.path.join(settings, "settings"), "w") as file:
        file.write("{")
    for words in (["up"], ["devices", one.folder]):
        done = one.run(*words)
        assert done.returncode == 1 and f"“{settings}/settings” is damaged" in done.stderr, done.stderr
    assert_found(one, f"“{settings}/settings” is damaged")


def test_what_a_file_was_is_written_with_all_that_it_bore_and_found_when_it_is_evicted(world, base):
    here = world(2)
    one, two = here.devices
    path, other, copy = one.folder / "a.bin", two.folder / "a.bin", base / "a copy"
    path.write_bytes(b"\0")
    path.chmod(0o664)
    os.setxattr(path, "user.t", b"kept")
    here.settle()
    wait_for(other.exists, 20, lambda: two.said)
    two.end()
    path.write_bytes(b"\0one")
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)
    other.write_bytes(b"\0two")
    two.start()

    def versions():
        listed = one.run("versions", path, "--json")
        assert listed.returncode == 0, listed.stderr
        return [found["id"] for found in json.loads(listed.stdout)]

    wait_for(lambda: len(versions()) == 1, 30, lambda: one.said)
    [known] = versions()
    done = one.run("versions", path, "--restore", known, "--to", copy)
    assert done.returncode == 0 and copy.read_bytes() == b"\0two", done.stderr
    assert copy.stat().st_mode & 0o777 == 0o664 and os.getxattr(copy, "user.t") == b"kept"
    again = one.run("versions", path, "--restore", known, "--to", copy)
    assert again.returncode == 1 and "is there already" in again.stderr, again.stderr
    # What cannot be written down is not settled, and not said to be.
    index, = (base / f"home {one.name}" / "versions").rglob("index.sqlite")
    with contextlib.closing(sqlite3.connect(index)) as database:
        database.execute(
            "CREATE TRIGGER stubborn BEFORE UPDATE ON versions BEGIN SELECT RAISE(ABORT, 'not now'); END")
        refused = one.run("versions", path, "--settle")
        assert refused.returncode == 1 and "not now" in refused.stderr, refused.stdout + refused.stderr
        database.execute("DROP TRIGGER stubborn")
    assert one.run("versions", path, "--settle").returncode == 0
    wait_for(lambda: one.run("evict", path).returncode == 0, 20, lambda: one.said)
    assert not path.exists() and known in versions()
    done = one.run("versions", path, "--restore", known)
    assert done.returncode == 0 and path.read_bytes() == b"\0two", done.stderr


def test_a_link_to_the_folder_means_the_folder(world, base):
    here = world(1)
    [one] = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    link = base / "shown"
    link.symlink_to(one.folder)
    assert one.run("evict", link).returncode == 0
    wait_for(lambda: (one.folder / ".a.txt.icloud").exists(), 20, lambda: one.said)
    assert one.run("download", link).returncode == 0
    assert (one.folder / "a.txt").read_text() == "a"
    assert one.run("pause", link).returncode == 0 and one.run("resume", link).returncode == 0
    # One that leads elsewhere means itself.
    link.unlink()
    link.symlink_to(base)
    elsewhere = one.run("pause", link)
    assert elsewhere.returncode == 1 and "in no folder" in elsewhere.stderr, elsewhere.stderr


def test_keys_that_are_gone_are_named(world):
    here = world(1)
    [one] = here.devices
    here.settle()
    one.end()
    [own] = (base for base, _, names in os.walk(one.environment["SHEAF_HOME"]) if "settings" in names)
    os.rename(f"{own}/keys", f"{own}/keys.away")
    done = one.run("up")
    assert done.returncode == 1 and f"“{own}/keys” is not there" in done.stderr, done.stdout + done.stderr
    assert_found(one, f"“{own}/keys” is not there")


def present(device):
    listed = device.run("devices", device.folder, "--json")
    assert listed.returncode == 0, listed.stderr
    return sorted(found["name"] for found in json.loads(listed.stdout) if not found["isRevoked"])


def test_another_folder_takes_the_place_of_one_that_is_gone(world, base):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    before = present(one)
    wait_for(lambda: two.contents == {"a.txt": b"a"}, 20, lambda: two.said)
    two.end()
    former, two.folder = two.folder, base / "instead"
    shutil.rmtree(former)
    # A device that shares the container already is not let in as another one.
    _, said = one.share(here.hub, two)
    assert f"shares that already, in “{former}”" in said and f"--instead-of {former}" in said, said
    assert present(one) == before and not two.folder.exists()
    two.folder, now = former, two.folder
    failed = two.run("up")
    assert failed.returncode == 1 and f"--instead-of {former}" in failed.stderr, failed.stderr
    for other in (["--hub", here.hub.address], ["--without-tls"]):
        wrong = two.run("join", now, "--instead-of", former, *other)
        assert wrong.returncode == 2, wrong.stderr
    done = two.run("join", now, "--instead-of", former)
    assert done.returncode == 0 and "takes the place of" in done.stdout, done.stdout + done.stderr
    two.folder = now
    (one.folder / "b.txt").write_text("b")
    two.start()
    here.settle()
    assert two.contents == one.contents == {"a.txt": b"a", "b.txt": b"b"} and present(two) == before


def test_a_version_is_not_written_where_no_folder_is(world, base):
    here = world(1)
    [one] = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    done = one.run("versions", one.folder / "a.txt", "--restore", "0")
    assert done.returncode == 1 and "no version of" in done.stderr
    done = one.run("versions", one.folder / "a.txt", "--to", "")
    assert done.returncode == 2 and "--to needs a value" in done.stderr
