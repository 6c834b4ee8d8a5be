"""The doctor says what is wrong with folders in step, and what helps."""

import fcntl
import json
import pathlib
import signal

from devices import wait_for
from test_sync import base, world  # noqa: F401: fixtures


def findings(device):
    """What is found of a folder or the machine, by kind; the machine's own limits are another's business."""
    asked = device.run("doctor", "--json")
    found = {finding["kind"]: finding for finding in json.loads(asked.stdout)["findings"]}
    assert (asked.returncode == 1) == bool(found), asked.stdout
    return {kind: finding for kind, finding in found.items() if kind not in ("watches", "noRoom")}


def test_the_doctor_finds_nothing_and_then_what_is_wrong(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.bin").write_bytes(b"\0first")
    (one.folder / "evicted.txt").write_text("evicted")
    here.settle()
    assert one.run("evict", one.folder / "evicted.txt").returncode == 0
    assert findings(one) == {} and findings(two) == {}
    # A conflict that nobody has settled.
    two.end()
    (one.folder / "a.bin").write_bytes(b"\0one")
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)
    (two.folder / "a.bin").write_bytes(b"\0two")
    two.start()
    wait_for(lambda: "conflict" in findings(two), 20, lambda: two.run("doctor").stdout)
    assert "“a.bin”" in findings(two)["conflict"]["text"]
    assert f"{two.folder}: Nobody has settled conflicts of “a.bin”.\n  Next: Open each and choose" in two.run("doctor").stdout
    # A hub that is away.
    here.hub.kill()
    wait_for(lambda: "hubUnreachable" in findings(one), 20, lambda: one.run("doctor").stdout)
    found = findings(one)["hubUnreachable"]
    assert here.hub.address in found["text"] and found["folder"] == str(one.folder) and "network" in found["remedy"]
    here.hub.start()
    wait_for(lambda: "hubUnreachable" not in findings(one), 20, lambda: one.run("doctor").stdout)
    # Nothing that keeps it in step, a folder that is not there, and what is stored of it damaged.
    one.end()
    assert set(findings(one)) - {"conflict"} == {"notRunning"}
    with open(pathlib.Path(one.environment["SHEAF_RUNTIME_DIR"]) / "sync.beginning", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "has just begun" in findings(one)["beginning"]["text"]
    aside = one.folder.with_name("aside")
    one.folder.rename(aside)
    assert set(findings(one)) == {"notRunning", "folderMissing"}
    aside.rename(one.folder)
    [memory] = pathlib.Path(one.environment["SHEAF_HOME"]).glob("containers/*/memory.sqlite")
    memory.write_bytes(b"no database at all, but as long as one has to be" * 100)
    found = findings(one)
    assert set(found) == {"notRunning", "database"}, found
    assert "memory" in found["database"]["text"] and f"{memory.parent}" in found["database"]["remedy"], found
    # That helps, also what has no contents here.
    for part in memory.parent.glob("memory.sqlite*"):
        part.rename(one.folder.with_name(part.name))
    one.start()
    wait_for(lambda: set(findings(one)) == {"conflict"}, 20, lambda: one.run("doctor").stdout)
    assert one.run("download", one.folder / "evicted.txt").returncode == 0
    assert (one.folder / "evicted.txt").read_text() == "evicted"


def test_a_process_that_meets_others_elsewhere_is_found_and_asked_there(world):
    here = world(2)
    one, two = here.devices
    here.settle()
    # It was begun before anybody had logged in, say; who asks has logged in since.
    elsewhere = pathlib.Path(one.environment["SHEAF_RUNTIME_DIR"])
    own = elsewhere.with_name("own-run")
    one.environment["SHEAF_RUNTIME_DIR"] = str(own)
    found = findings(one)
    assert set(found) == {"elsewhere"}, found
    assert str(elsewhere) in found["elsewhere"]["text"] and str(own) in found["elsewhere"]["text"]
    assert one.run("status").returncode == 0
    # Another one is refused, and the first one is found after that, too.
    refused = one.run("up")
    assert refused.returncode == 1 and "Another sheaf up" in refused.stderr
    assert one.run("status").returncode == 0
    # One that is begun anew is where those are who ask.
    one.end()
    assert set(findings(one)) == {"notRunning"}
    one.start()
    wait_for(lambda: findings(one) == {}, 20, lambda: one.run("doctor").stdout)


def test_what_waits_for_a_person_is_found_and_what_somebody_has_paused_is_not(world):
    here = world(2)
    one, two = here.devices
    for number in range(30):
        (one.folder / f"{number}.txt").write_text("text")
    here.settle()
    assert two.run("pause", two.folder / "0.txt").returncode == 0
    (two.folder / "0.txt").write_text("edited")
    wait_for(lambda: "is paused since" in two.run("status").stdout, 20, lambda: two.run("status").stdout)
    assert findings(two) == {}
    # All at once for who keeps the folder in step: else some would have gone before it is seen how many there are.
    with one.stopped():
        for number in range(1, 30):
            (one.folder / f"{number}.txt").unlink()
    wait_for(lambda: "29 of 30" in findings(one).get("braked", {}).get("text", ""), 20, lambda: one.run("doctor").stdout)
    found = findings(one)["braked"]
    assert f"sheaf decide {one.folder} --go-on" in found["remedy"]
    # The same for programs that ask about one of them.
    explained = json.loads(one.run("explain", "--json", one.folder / "7.txt").stdout)
    assert [cause["kind"] for cause in explained["causes"]] == ["braked"]
    assert explained["causes"][0]["remedy"] == explained["next"]
    assert one.run("decide", one.folder, "--go-on").returncode == 0
    # It is large for the other device, too.
    wait_for(lambda: "braked" in findings(two), 20, lambda: two.run("doctor").stdout)
    assert "here by what was done elsewhere" in findings(two)["braked"]["text"]
    assert two.run("decide", two.folder, "--go-on").returncode == 0
    wait_for(lambda: len(two.contents) == 1, 20, lambda: two.said)
    wait_for(lambda: findings(one) == {} and findings(two) == {}, 20, lambda: one.run("doctor").stdout)
