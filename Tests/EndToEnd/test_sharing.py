"""Who shares a folder, with real processes: devices that are shut out, and all of them lost."""

import http.client
import json
import os
import shutil
import stat
import subprocess
from pathlib import Path

from devices import Device, Hub, wait_for
from test_sync import SHEAF, base, world  # noqa: F401: fixtures


def names(device, *words):
    listed = device.run("devices", device.folder, "--json", *words)
    assert listed.returncode == 0, listed.stderr
    return {found["name"]: found for found in json.loads(listed.stdout)}


def test_a_revoked_device_stops_and_the_others_go_on(world, base):
    here = world(3)
    one, two, lost = here.devices
    (one.folder / "a.txt").write_text("before")
    here.settle()
    assert {name: found["isThis"] for name, found in names(one).items()} == {
        "device-0": True, "device-1": False, "device-2": False
    }
    lost.kill()
    (lost.folder / "mine.txt").write_text("never sent")
    two.kill()
    done = one.run("revoke", one.folder, "device-2")
    assert done.returncode == 0 and "is shut out" in done.stdout, done.stdout + done.stderr
    (one.folder / "b.txt").write_text("after")
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)
    # Who was away goes on by itself.
    (two.folder / "c.txt").write_text("two")
    two.start()
    expected = {"a.txt": b"before", "b.txt": b"after", "c.txt": b"two"}
    wait_for(lambda: one.contents == two.contents == expected, 30, lambda: one.said + two.said)
    found = names(two)["device-2"]
    assert found["isRevoked"] and found["revokedBy"] == "device-0"
    lost.start()
    wait_for(lambda: "was shut out" in lost.said, 20, lambda: lost.said)
    wait_for(lambda: "1 item that was changed here" in lost.run("status").stdout, 20, lambda: lost.run("status").stdout)
    status = lost.run("status")
    assert status.returncode == 1 and "stopped: " in status.stdout
    assert json.loads(lost.run("status", "--json").stdout)[0]["isShutOut"]
    explained = lost.run("explain", lost.folder / "mine.txt")
    assert explained.returncode == 1 and "shut out" in explained.stdout and "stays here" in explained.stdout
    assert lost.contents == {"a.txt": b"before", "mine.txt": b"never sent"}
    refused = lost.run("pair", lost.folder)
    assert refused.returncode == 1 and "shut out" in refused.stderr
    again = one.run("revoke", one.folder, "device-2")
    assert again.returncode == 0 and "was shut out before by “device-0”. The hub refuses it already." in again.stdout
    # A new one is let in under the new key, and the one that was shut out as another one.
    fourth = Device(SHEAF, base, "fourth")
    two.share(here.hub, fourth)
    fourth.start()
    here.devices[:] = [one, two, fourth]
    here.settle()
    lost.end()
    first, second = one.share(here.hub, lost)
    assert "is joined" in second, first + second
    lost.start()
    here.devices.append(lost)
    here.settle()
    assert lost.contents == {**expected, "mine.txt": b"never sent"}
    assert [found["isRevoked"] for found in json.loads(one.run("devices", one.folder, "--json").stdout)] == [
        False, False, False, False, True
    ]
    # What a device shares already it does not join again.
    twice = two.run("join", two.folder, "--hub", here.hub.address, "--invitation", "ANY")
    assert twice.returncode == 1 and "cannot be a container" in twice.stderr, twice.stderr


def test_what_a_lost_device_has_let_in_is_named_and_goes_once_somebody_says_so(world, base):
    here = world(2)
    one, lost = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    strange = Device(SHEAF, base, "strange")
    first, second = lost.share(here.hub, strange)
    assert "is joined" in second, first + second
    strange.start()
    here.devices.append(strange)
    here.settle()
    wait_for(lambda: "“device-1” has let in “strange”" in one.run("log").stdout, 20, lambda: one.said)
    listed = names(one)
    assert listed["strange"]["letInBy"] == "device-1" and "letInBy" not in listed["device-0"]
    assert "let in by device-1" in one.run("devices", one.folder).stdout
    # Nobody answers: what was asked for is done, and what is left is named.
    done = one.run("revoke", one.folder, "device-1", input="")
    assert done.returncode == 1 and "“device-1” is shut out" in done.stdout, done.stdout + done.stderr
    assert "“strange”" in done.stderr and "--with-let-in" in done.stderr, done.stderr
    listed = names(one)
    assert listed["device-1"]["isRevoked"] and not listed["strange"]["isRevoked"]
    kept = one.run("revoke", one.folder, "device-1", input="no\n")
    assert kept.returncode == 0 and "Shut out “strange”" in kept.stdout, kept.stdout + kept.stderr
    again = one.run("revoke", one.folder, "device-1", input="yes\n")
    assert again.returncode == 0 and "“strange” is shut out" in again.stdout, again.stdout + again.stderr
    assert names(one)["strange"]["isRevoked"]
    wait_for(lambda: "Nothing goes or comes any more" in strange.run("status").stdout, 20, lambda: strange.said)
    (one.folder / "b.txt").write_text("after")
    wait_for(lambda: one.is_in_step, 20, lambda: one.said)
    assert strange.contents == {"a.txt": b"a"}


def test_a_device_killed_while_it_shuts_another_out_goes_on_with_it(world):
    here = world(4)
    one, two, *lost = here.devices
    here.settle()
    for device in lost:
        device.kill()
    environment = {**os.environ, **one.environment, "SHEAF_AGENT": "off"}
    containers = Path(one.environment["SHEAF_HOME"]) / "containers"
    cut = 0
    for device in lost:
        # Whoever looks for the plan has the processor before it.
        words = ["nice", "-n", "19", str(SHEAF), "revoke", str(one.folder), device.name]
        with subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            # Once the plan is kept it is to be ended by whoever comes next.
            while process.poll() is None and not list(containers.glob("*/revocation")):
                pass
            process.kill()
        cut += process.returncode != 0
        # By the process that runs, or by one that starts.
        if device is lost[0]:
            one.end()
            one.start()
        wait_for(lambda: names(two)[device.name]["isRevoked"], 20, lambda: one.said)
        wait_for(lambda: not list(containers.glob("*/revocation")), 20, lambda: one.said + one.run("log").stdout)
        (two.folder / "a.txt").write_text(device.name)
        wait_for(lambda: one.contents == {"a.txt": device.name.encode()}, 30, lambda: one.said + two.said)
    assert cut > 0, "it was never killed in between"


def test_who_leaves_is_asked_and_the_last_one_stays(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    two.end()
    kept = two.run("revoke", two.folder, "device-1", input="no\n")
    assert kept.returncode == 1 and "Others go on: device-0" in kept.stdout
    done = two.run("revoke", two.folder, "device-1", "--yes")
    assert done.returncode == 0, done.stderr
    assert (two.folder / "a.txt").read_text() == "a"
    wait_for(lambda: names(one)["device-1"]["isRevoked"], 20, "it is told")
    # Nothing speaks of the folder there any more, and it may be shared again.
    assert "is not kept in step" in two.run("devices", two.folder).stderr
    assert two.run("doctor").stdout == "Nothing is wrong.\n"
    last = one.run("revoke", one.folder, "device-0", "--yes")
    assert last.returncode == 1 and "the last device" in last.stderr
    here.devices.remove(two)


def test_a_folder_is_forgotten_without_its_hub(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    here.hub.end()
    running = two.run("revoke", two.folder, "device-1", "--yes", "--without-hub")
    assert running.returncode == 1 and "Stop sheaf up first" in running.stderr, running.stderr
    two.end()
    assert two.run("revoke", two.folder, "device-1", "--yes").returncode == 1
    other = two.run("revoke", two.folder, "device-0", "--yes", "--without-hub")
    assert other.returncode == 1 and "device-1" in other.stderr, other.stderr
    done = two.run("revoke", two.folder, "device-1", "--yes", "--without-hub")
    assert done.returncode == 0 and "Other devices do not hear of it" in done.stdout, done.stdout + done.stderr
    assert two.run("doctor").stdout == "Nothing is wrong.\n" and (two.folder / "a.txt").read_text() == "a"
    # Its keys stay, for its user alone.
    (former,) = Path(two.environment["SHEAF_HOME"]).glob("former/*")
    assert (former / "keys").stat().st_mode & 0o77 == 0 and former.parent.stat().st_mode & 0o77 == 0
    here.devices.remove(two)


def test_one_that_was_shut_out_can_be_forgotten(world):
    here = world(2)
    one, two = here.devices
    (one.folder / "a.txt").write_text("a")
    here.settle()
    assert one.run("revoke", one.folder, "device-1").returncode == 0
    wait_for(lambda: "Nothing goes or comes any more" in two.run("status").stdout, 30, lambda: two.run("status").stdout)
    two.end()
    done = two.run("revoke", two.folder, "device-1")
    assert done.returncode == 0 and "is forgotten here" in done.stdout, done.stdout + done.stderr
    assert two.run("doctor").stdout == "Nothing is wrong.\n"
    here.devices.remove(two)


def test_all_devices_lost_come_back_from_paper(world, base):
    here = world(3)
    one, two, lost = here.devices
    (one.folder / "letters").mkdir()
    (one.folder / "letters" / "a.txt").write_text("first")
    text = os.urandom(200_000)
    (one.folder / "b.bin").write_bytes(text)
    here.settle()
    shown = one.run("recovery", one.folder)
    assert shown.returncode == 0, shown.stderr
    paper = " ".join(line.strip() for line in shown.stdout.splitlines() if line.startswith("    ") and "sheaf" not in line)
    assert len(paper.split()) == 13, shown.stdout
    # Shut out later, and written later, under a key that the paper has never seen.
    assert two.run("revoke", two.folder, "device-2").returncode == 0
    (two.folder / "letters" / "a.txt").write_text("second")
    (two.folder / "c.txt").write_text("after")
    wait_for(
        lambda: (one.folder / "c.txt").exists()
        and one.is_in_step
        and two.is_in_step
        and one.contents == two.contents,
        30,
        lambda: one.said,
    )
    checked = one.run("recovery", one.folder, "--check", input=paper + "\n")
    assert checked.returncode == 0 and "It is right" in checked.stdout, checked.stdout + checked.stderr
    expected = one.contents
    for device in (one, two, lost):
        device.end()
        shutil.rmtree(device.folder)
        shutil.rmtree(device.environment["SHEAF_HOME"])
    new = Device(SHEAF, base, "new")

    def join(key):
        invitation = subprocess.run(
            [SHEAF, "hub", "invite", "--data", here.hub.data], capture_output=True, text=True, check=True
        ).stdout.strip()
        return new.run(
            "join", new.folder, "--hub", here.hub.address, "--invitation", invitation, "--recovery", "--name", "new",
            input=key
        )

    # Nobody who sees an invitation on the command line can use it while somebody types.
    seen = here.hub.invite()
    words = ["join", new.folder, "--hub", here.hub.address, "--recovery", "--invitation"]
    typing = subprocess.Popen(
        [SHEAF, *words, seen], env={**os.environ, "SHEAF_AGENT": "off", **new.environment}, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    asked = b""
    while not asked.endswith(b"paper: "):
        asked += os.read(typing.stdout.fileno(), 1000)
    used = Device(SHEAF, base, "used")
    refused = used.run("join", used.folder, "--hub", here.hub.address, "--invitation", "-", input=seen + "\n")
    assert refused.returncode == 1 and "wrong, used or too old" in refused.stderr, refused.stderr
    assert typing.communicate("\n")[1] and typing.returncode == 1
    # It is asked for before the paper.
    nothing = new.run(*words, "-", input="")
    assert nothing.returncode == 1 and "No invitation was typed" in nothing.stderr, nothing.stderr
    asked = new.run(*words, "-", input=here.hub.invite() + "\n" + "00000\n")
    assert asked.returncode == 1 and "invitation: The recovery key" in asked.stdout, asked.stdout + asked.stderr
    groups = paper.split()
    groups[4] = groups[4][:2] + ("0" if groups[4][2] != "0" else "1") + groups[4][3:]
    wrong = join(" ".join(groups))
    assert wrong.returncode == 1 and "Look at group 5 once more" in wrong.stderr, wrong.stderr
    assert paper.split()[0] not in wrong.stdout + wrong.stderr
    other = join("\n".join(["00000"]) + "\n")
    assert other.returncode == 1
    done = join(paper.lower().replace(" ", "-") + "\n")
    assert done.returncode == 0, done.stdout + done.stderr
    new.start()
    wait_for(lambda: new.contents == expected and new.is_in_step, 40, lambda: new.said)
    there = names(new)
    assert there["recovery key"]["isPaper"] and not there["recovery key"]["isRevoked"]
    # The first one has let in the others, the paper among them, by which this one has come.
    first = new.run("revoke", new.folder, "device-0", input="")
    assert first.returncode == 1 and "“device-0” is shut out" in first.stdout, first.stdout + first.stderr
    assert "“device-1”" in first.stderr and "“recovery key”" in first.stderr and "“new”" not in first.stderr, first.stderr
    second = new.run("revoke", new.folder, "device-1")
    assert second.returncode == 0, second.stdout + second.stderr
    assert not names(new)["recovery key"]["isRevoked"]
    (new.folder / "d.txt").write_text("goes on")
    wait_for(lambda: new.is_in_step, 30, lambda: new.said)
    here.devices[:] = [new]


def test_what_is_secret_is_the_user_s_alone(world):
    here = world(2)
    one = here.devices[0]
    assert one.run("revoke", one.folder, "device-1").returncode == 0
    for folder, _, files in os.walk(one.environment["SHEAF_HOME"] + "/containers"):
        for name in files:
            if name in ("device", "keys", "settings", "revocation"):
                assert stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode) == 0o600, name


def test_two_people_at_one_hub_see_nothing_of_each_other(base):
    hub = Hub(SHEAF, base)
    # A mebibyte each.
    hub.words += ["--quota", "1M"]
    hub.start()
    anna, ben, pad = (Device(SHEAF, base, name) for name in ("anna", "ben", "pad"))
    def hub_command(*words):
        return subprocess.run([SHEAF, "hub", *words, "--data", hub.data], capture_output=True, text=True)

    try:
        anna.begin(hub)
        told = hub_command("invite", "--new-account")
        words = ("--hub", hub.address, "--invitation", told.stdout.strip(), "--name", "ben")
        assert ben.run("join", ben.folder, *words).returncode == 0
        again = pad.run("join", pad.folder, *words)
        assert again.returncode == 1 and "used" in again.stderr
        first, second = ben.share(hub, pad)
        assert "is joined" in second, first + second
        for device in (anna, ben, pad):
            device.start()
        listed = hub_command("accounts").stdout.splitlines()
        assert listed == ["1  1 folder  anna", "2  1 folder  ben, pad"], listed
        assert hub_command("invite", "--account", "3").returncode == 1
        # One fills its own quota; the other has its own.
        (anna.folder / "large.bin").write_bytes(os.urandom(2_000_000))
        (ben.folder / "a.txt").write_text("Ben's")
        wait_for(lambda: pad.contents == {"a.txt": b"Ben's"}, 20, lambda: ben.said + pad.said)
        wait_for(lambda: "may keep" in anna.said, 20, lambda: anna.said)
        assert not anna.is_in_step and "large.bin" not in pad.contents
        (ben.folder / "b.bin").write_bytes(os.urandom(600_000))
        wait_for(lambda: "b.bin" in pad.contents, 20, lambda: ben.said + pad.said)
        # Neither lists, reads, writes or shuts out what is the other's, though it knows its names.
        mine, theirs = settings(ben), settings(anna)
        token = mine["credentials"]["token"]
        assert set(names(ben)) == {"ben", "pad"} and set(names(anna)) == {"anna"}
        listed = ask(hub, token, "GET", "/v1/containers")
        assert [found["container"] for found in json.loads(listed[1])["containers"]] == [mine["container"]]
        devices = json.loads(ask(hub, token, "GET", "/v1/devices")[1])["devices"]
        assert {found["name"] for found in devices} == {"ben", "pad"}
        place = f"/v1/containers/{theirs['container']}"
        device = theirs["credentials"]["device"]
        keys = json.dumps({"generation": 1, "keys": "AAAA"})
        for method, path, body in [
            ("GET", f"{place}/log", None), ("GET", f"{place}/keys/{device}", None), ("PUT", f"{place}/keys/{device}", keys),
            ("POST", f"{place}/commits", '{"commits": []}'), ("POST", f"{place}/blobs/missing", '{"names": []}'),
            ("POST", f"{place}/blobs/read", '{"names": []}'), ("POST", f"{place}/blobs", ""),
            ("DELETE", f"/v1/devices/{device}", None),
        ]:
            assert ask(hub, token, method, path, body)[0] == 404, path
        assert ask(hub, token, "PUT", place)[0] == 409
        assert ask(hub, theirs["credentials"]["token"], "GET", f"{place}/log")[0] == 200
        # What one has on paper comes back by an invitation of that account, and by no other's.
        shown = ben.run("recovery", ben.folder).stdout
        paper = " ".join(line for line in shown.splitlines() if line.startswith("    "))
        for account, code in (("1", 1), ("2", 0)):
            invitation = hub_command("invite", "--account", account).stdout.strip()
            new = Device(SHEAF, base, f"new-{account}")
            words = ("--hub", hub.address, "--invitation", invitation, "--recovery")
            done = new.run("join", new.folder, *words, input=paper + "\n")
            assert done.returncode == code, done.stdout + done.stderr
    finally:
        for process in (anna, ben, pad, hub):
            process.end()


def settings(device):
    place, = (Path(device.environment["SHEAF_HOME"]) / "containers").glob("*/settings")
    return json.loads(place.read_text())


def ask(hub, token, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=20)
    media = "application/json" if body else "application/octet-stream"
    connection.request(method, path, body, {"Authorization": f"Bearer {token}", "Content-Type": media})
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found
