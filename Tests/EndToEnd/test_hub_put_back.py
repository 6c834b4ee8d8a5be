"""A hub that was put back to a backup from before a device joined, or before a folder was begun, with real processes."""

from devices import Device, wait_for
from test_sharing import names, settings
from test_sync import SHEAF, base, world  # noqa: F401: fixtures


def put_back(hub, backup):
    hub.end()
    hub.put_back(backup)
    hub.start()


def words_of(device, hub, invitation):
    return "join", device.folder, "--hub", hub.address, "--invitation", invitation


def expect_remedy(device, hub, name):
    """Both commands that say how things stand say that the hub does not know the device, and what helps."""
    command = f"sheaf join {device.folder} --hub {hub.address} --invitation -"
    for words in (("status",), ("explain", device.folder / name)):
        wait_for(lambda words=words: command in device.run(*words).stdout, 40, lambda: device.said)
        said = device.run(*words)
        assert said.returncode == 1 and "does not know this device" in said.stdout, said.stdout
        assert "sheaf hub invite" in said.stdout, said.stdout
    assert command in device.said, device.said


def begin(device, hub):
    """Begins a folder of its own."""
    joined = device.run(*words_of(device, hub, hub.invite()), "--name", device.name)
    assert joined.returncode == 0, joined.stderr


def register_again(device, hub):
    device.end()
    done = device.run(*words_of(device, hub, hub.invite()))
    assert done.returncode == 0 and "registered at the hub again" in done.stdout, done.stdout + done.stderr
    device.start()


def test_a_device_that_joined_after_the_backup_is_registered_again(world, base):
    here = world(1)
    [one] = here.devices
    (one.folder / "a.txt").write_text("before")
    here.settle()
    here.hub.back_up(base / "backup")
    two = Device(SHEAF, base, "second")
    first, second = one.share(here.hub, two)
    assert "is joined" in second, first + second
    two.start()
    here.devices.append(two)
    (two.folder / "b.txt").write_text("of the second")
    (one.folder / "a.txt").write_text("after")
    wait_for(lambda: (one.folder / "b.txt").exists() and one.contents == two.contents, 20, lambda: one.said + two.said)
    here.settle()
    put_back(here.hub, base / "backup")
    (one.folder / "c.txt").write_text("of the first, meanwhile")
    (two.folder / "d.txt").write_text("of the second, meanwhile")
    expect_remedy(two, here.hub, "d.txt")
    # While it is kept in step nothing is done, and the invitation is not used up.
    invitation, before = here.hub.invite(), settings(two)
    running = two.run(*words_of(two, here.hub, invitation))
    assert running.returncode == 1 and "End sheaf up first" in running.stderr, running.stderr
    two.end()
    # An invitation that is none changes nothing here.
    wrong = two.run(*words_of(two, here.hub, "AAAAA-BBBBB-CCCCC-DDDDD"))
    assert wrong.returncode == 1 and "This invitation is wrong" in wrong.stderr, wrong.stderr
    assert settings(two) == before
    done = two.run(*words_of(two, here.hub, invitation))
    assert done.returncode == 0 and "registered at the hub again" in done.stdout, done.stdout + done.stderr
    after = settings(two)
    assert after["credentials"] != before["credentials"]
    assert {**after, "credentials": None} == {**before, "credentials": None}
    two.start()
    expected = {
        "a.txt": b"after",
        "b.txt": b"of the second",
        "c.txt": b"of the first, meanwhile",
        "d.txt": b"of the second, meanwhile",
    }
    wait_for(lambda: one.contents == two.contents == expected, 60, lambda: one.said + two.said)
    here.settle()
    assert all(device.conflicts(name) == [] for device in (one, two) for name in expected)
    assert {name: found["isRevoked"] for name, found in names(one).items()} == {"device-0": False, "second": False}
    assert "does not know" not in two.run("status").stdout
    # The hub knows it now: the folder is not joined twice.
    again = two.run(*words_of(two, here.hub, here.hub.invite()))
    assert again.returncode == 1 and "cannot be a container" in again.stderr, again.stderr
    # The hub has lost what was read by who let it in, and comes by that otherwise.
    assert settings(two) == {name: value for name, value in after.items() if name != "list"}
    (two.folder / "b.txt").write_text("goes on")
    wait_for(lambda: one.contents["b.txt"] == b"goes on", 20, lambda: one.said + two.said)
    here.settle()


def test_a_folder_that_was_begun_after_the_backup_comes_to_the_hub_again(world, base):
    here = world(1)
    here.settle()
    here.hub.back_up(base / "backup")
    late, third = (Device(SHEAF, base, name) for name in ("late", "third"))
    try:
        begin(late, here.hub)
        late.start()
        (late.folder / "letters").mkdir()
        (late.folder / "letters" / "a.txt").write_text("first")
        (late.folder / "b.bin").write_bytes(bytes(range(256)) * 1000)
        wait_for(lambda: late.is_in_step, 20, lambda: late.said)
        (late.folder / "letters" / "a.txt").write_text("second")
        wait_for(lambda: late.is_in_step, 20, lambda: late.said)
        put_back(here.hub, base / "backup")
        (late.folder / "c.txt").write_text("meanwhile")
        expect_remedy(late, here.hub, "c.txt")
        register_again(late, here.hub)
        expected = {
            "b.bin": bytes(range(256)) * 1000, "c.txt": b"meanwhile", "letters": None, "letters/a.txt": b"second"
        }
        wait_for(lambda: late.is_in_step and late.contents == expected, 40, lambda: late.said)
        # What the hub has got again is enough for another one.
        first, second = late.share(here.hub, third)
        assert "is joined" in second, first + second
        third.start()
        wait_for(lambda: third.contents == expected and third.is_in_step, 40, lambda: third.said)
        assert late.contents == expected and late.conflicts("letters/a.txt") == []
        assert names(late).keys() == {"late", "third"}
        here.settle()
    finally:
        late.end()
        third.end()


def test_of_two_devices_of_such_a_folder_the_other_one_waits_for_who_began_it(world, base):
    here = world(1)
    here.settle()
    here.hub.back_up(base / "backup")
    founder, other = (Device(SHEAF, base, name) for name in ("founder", "other"))
    try:
        begin(founder, here.hub)
        first, second = founder.share(here.hub, other)
        assert "is joined" in second, first + second
        founder.start()
        other.start()
        (founder.folder / "a.txt").write_text("a")
        (other.folder / "b.txt").write_text("b")
        expected = {"a.txt": b"a", "b.txt": b"b"}

        def are_same():
            return founder.contents == other.contents == expected and founder.is_in_step and other.is_in_step

        wait_for(are_same, 40, lambda: founder.said + other.said)
        put_back(here.hub, base / "backup")
        (founder.folder / "d.txt").write_text("d")
        expect_remedy(founder, here.hub, "d.txt")
        register_again(other, here.hub)
        wait_for(lambda: "waits until the one that began it" in other.run("status").stdout, 40, lambda: other.said)
        (other.folder / "c.txt").write_text("c")
        register_again(founder, here.hub)
        expected.update({"c.txt": b"c", "d.txt": b"d"})
        wait_for(are_same, 60, lambda: founder.said + other.said)
        assert founder.conflicts("a.txt") == [] and other.conflicts("b.txt") == []
    finally:
        founder.end()
        other.end()
