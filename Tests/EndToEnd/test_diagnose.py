"""The report for a bug report: it says how things stand, and nothing of anybody."""

import base64
import json
import os
import re
import socket
import stat
import subprocess

import pytest
from devices import wait_for
from test_sync import base, world  # noqa: F401: fixtures

NAMES = [
    "Tax return 2026 of Aunt Wilhelmina.txt", "kündigung.odt", "Zebra/deep plan.bin", "quote” and hub.example.org secret.txt",
    "password hunter2.md", "wait for Xaver.txt",
]
# What of them must not be seen: the names themselves, and each word by which one would know something.
WORDS = [
    "Wilhelmina", "Tax", "2026 of", "kündigung", "Zebra", "deep plan", "hub.example.org", "hunter2", "password", "Xaver", ".odt",
    ".txt", ".md", ".bin", "Grandmother", "device-", "first line of mine", "ferret", "marmot",
]


def secrets(device, hub):
    """All that is secret of a device, or names it or its hub, as it may be written down."""
    found = [hub.address, "127.0.0.1", f":{hub.port}", socket.gethostname(), str(device.folder), os.environ["HOME"]]
    for folder, _, files in os.walk(device.environment["SHEAF_HOME"] + "/containers"):
        found.append(os.path.basename(folder) if len(os.path.basename(folder)) == 32 else device.name)
        for name in files:
            if name not in ("keys", "device", "settings"):
                continue
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if name == "settings":
                settings = json.loads(data)
                found += [settings["credentials"]["token"], settings["credentials"]["device"], settings["deviceName"]]
                continue
            for start in range(0, len(data) - 16, 8):
                piece = data[start:start + 16]
                found += [piece.hex(), base64.b64encode(piece).decode()[:20]]
    return found


def check(text, device, hub):
    for secret in [*NAMES, *WORDS, *secrets(device, hub)]:
        assert secret not in text, f"{secret!r} in the report:\n{text}"
    assert not re.search(r"/[A-Za-z]", text.replace("item-", "")), text


def test_a_report_names_nothing_and_says_how_things_stand(world):
    here = world(2)
    one, two = here.devices
    for name in NAMES:
        path = one.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("first line of mine\n")
    here.settle()
    # A conflict, something that cannot be read, something that stands in the way, a line that breaks, a device shut out.
    two.kill()
    (one.folder / NAMES[2]).write_text("ferret")
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)
    (two.folder / NAMES[2]).write_text("marmot")
    two.start()
    wait_for(lambda: "could not be merged" in two.said, 20, lambda: two.said)
    here.settle()
    for device in (one, two):
        for words in ([], [device.folder]):
            report = device.run("diagnose", *words)
            assert report.returncode == 0, report.stderr
            check(report.stdout, device, here.hub)
    found = json.loads(two.run("diagnose", "--json").stdout)
    check(json.dumps(found, ensure_ascii=False), two, here.hub)
    folder, = found["folders"]
    live = folder["live"]
    assert found["isUp"] and live["line"] == "up" and live["isSettled"] and live["deviceCount"] == 2
    assert live["states"]["document, contents current"] == len(NAMES) and live["states"]["folder"] == 1
    kinds = {event["kind"]: event for event in live["events"]}
    assert {"line up", "received", "in step", "conflict"} <= kinds.keys()
    received = {event["item"] for event in live["events"] if event["kind"] == "received"}
    assert kinds["conflict"]["item"] in received and all(re.fullmatch(r"item-\d+", item) for item in received)
    assert folder["hub"]["health"] == "ok"

    def clock_ahead():
        return json.loads(two.run("diagnose", "--json").stdout)["folders"][0]["hub"]["clockAheadSeconds"]

    # An answer that was long on its way in one direction says something else.
    wait_for(lambda: abs(clock_ahead()) <= 1, 20, "the clocks of one machine agree")
    assert {base["name"]: base["integrity"] for base in folder["stored"]["databases"]} == {
        "memory": "whole", "vault index": "whole"
    }
    assert folder["stored"]["packCount"] > 0 and folder["stored"]["keyGenerations"] == [1]
    assert found["machine"]["limits"]["inotify watches"] > 0 and found["machine"]["limits"]["open files"] > 0
    assert folder["fileSystem"] not in ("", "unknown")
    here.hub.kill()
    wait_for(lambda: not two.is_in_step, 20, lambda: two.said)
    (two.folder / "Grandmother.txt").write_text("x")
    wait_for(lambda: "1" in two.run("status").stdout, 20, "it is seen")
    down = two.run("diagnose", "--json")
    check(down.stdout, two, here.hub)
    found = json.loads(down.stdout)
    live = found["folders"][0]["live"]
    assert live["line"] == "down" and live["lineFailure"] and found["folders"][0]["hub"]["health"] != "ok"
    wait_for(lambda: json.loads(two.run("diagnose", "--json").stdout)["folders"][0]["live"]["obstacles"], 20, "it waits")
    here.hub.start()
    here.settle()
    assert one.run("revoke", one.folder, "device-1").returncode == 0
    wait_for(lambda: "was shut out" in two.said, 20, lambda: two.said)
    out = json.loads(two.run("diagnose", "--json").stdout)
    assert out["folders"][0]["live"]["isShutOut"]
    check(json.dumps(out, ensure_ascii=False), two, here.hub)


def test_a_report_goes_into_a_file_of_one_s_own(world, base):
    here = world(1)
    one, = here.devices
    here.settle()
    file = base / "report"
    old = os.umask(0)
    try:
        assert one.run("diagnose", "--output", file).returncode == 0
    finally:
        os.umask(old)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    folder = base / "a folder"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    refused = one.run("diagnose", "--output", folder)
    assert refused.returncode == 1 and "is a folder" in refused.stderr, refused.stderr
    assert (folder / "a.txt").read_text() == "a"
    assert "inotify watches" in file.read_text()
    # Without sheaf up, and with a damaged memory, it says so.
    one.end()
    memory, = (base / "home device-0" / "containers").glob("*/memory.sqlite")
    for suffix in ("-wal", "-shm"):
        memory.with_name(memory.name + suffix).unlink(missing_ok=True)
    memory.write_bytes(b"\xff" * 5000)
    found = json.loads(one.run("diagnose", "--json").stdout)
    assert not found["isUp"] and "live" not in found["folders"][0]
    assert found["folders"][0]["stored"]["databases"][0]["integrity"] != "whole"
    unknown = one.run("diagnose", base / "elsewhere")
    assert unknown.returncode == 1
    empty = subprocess.run(
        [one.sheaf, "diagnose"],
        env={**os.environ, **one.environment, "SHEAF_HOME": str(base / "empty"), "SHEAF_AGENT": "off"},
        capture_output=True,
        text=True,
    )
    assert empty.returncode == 0 and "folders: none" in empty.stdout, empty.stdout + empty.stderr


def test_what_a_folder_is_on_is_found_among_many_mounts(world, base):
    unshare = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode != 0:
        pytest.skip("nothing can be mounted here")
    one, = world(1).devices
    places = [base / f"mount {number}" for number in range(100)]
    for place in places:
        place.mkdir()
    mounts = [f"mount -t tmpfs none '{place}'" for place in [*places, one.folder]]
    command = " && ".join([*mounts, f"exec '{one.sheaf}' diagnose --json"])
    done = subprocess.run(
        [*unshare, "sh", "-c", command],
        env={**os.environ, **one.environment, "SHEAF_AGENT": "off"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["folders"][0]["fileSystem"] == "tmpfs"
