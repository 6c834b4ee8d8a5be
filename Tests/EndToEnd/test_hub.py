"""A hub as a process: what it promises holds over kills, cuts, garbage, revocations and backups."""

import base64
import hashlib
import http.client
import json
import os
import random
import resource
import shutil
import socket
import stat
import struct
import threading
import time

import pytest

from hub_process import CONTAINER, Answer, Hub, blob_name, blobs, commit, frame
from waiting import until


@pytest.fixture
def make_hub(tmp_path):
    hubs = []

    def make(*options):
        hub = Hub(tmp_path / f"hub{len(hubs)}", *options).start()
        hubs.append(hub)
        return hub.prepare()
    yield make
    for hub in hubs:
        if hub.process.poll() is None:
            hub.kill()


@pytest.fixture
def hub(make_hub):
    return make_hub("--address-rate", "1000")


class Asking:
    """A request on a thread of its own."""

    def __init__(self, ask):
        self.answer, self.seconds = None, None
        self._thread = threading.Thread(target=self._run, args=(ask, time.monotonic()), daemon=True)
        self._thread.start()

    def _run(self, ask, start):
        self.answer = ask()
        self.seconds = time.monotonic() - start

    def join(self):
        self._thread.join(60)
        assert self.answer is not None, "there is no answer"
        return self


def chained(head, entry):
    """The hash of an entry, made as Docs/formats/hub.md says, by other code than the hub's."""
    record = base64.b64decode(entry["record"])
    return hashlib.sha256(
        bytes.fromhex(head) + struct.pack(">Q", entry["position"]) + bytes.fromhex(entry["item"])
        + struct.pack(">Q", entry["base"]) + struct.pack(">H", len(entry["id"])) + entry["id"].encode()
        + struct.pack(">I", len(record)) + record).hexdigest()


def checked_log(hub):
    """All entries, their chain followed to the head."""
    head, entries = hashlib.sha256(b"sheaf log 1" + bytes.fromhex(CONTAINER)).hexdigest(), []
    while True:
        page = hub.log(len(entries)).json
        for entry in page["entries"]:
            head = chained(head, entry)
            assert (entry["position"], entry["hash"]) == (len(entries) + 1, head)
            entries.append(entry)
        if not page["entries"]:
            assert page["head"] == {"position": len(entries), "hash": head}
            return entries


def test_a_commit_is_taken_once_and_on_its_base_only(hub):
    answers = hub.commit(commit(1, 0, "a"), commit(1, 0, "b"), commit(1, 1, "c"), commit(1, 0, "c")).json
    assert answers["answers"] == [{"accepted": 1}, {"refused": 1}, {"accepted": 2}, {"accepted": 2}]
    assert [entry["id"] for entry in checked_log(hub)] == ["a", "c"]
    assert hub.log(7, wait=60).json["head"]["position"] == 2


def test_who_waits_hears_of_an_entry_at_once(hub):
    asking = [Asking(lambda: hub.log(wait=60)) for _ in range(8)]
    assert hub.commit(commit(1, 0, "a")).status == 200
    for ask in asking:
        assert len(ask.join().answer.json["entries"]) == 1

    def seconds_waited():
        start = time.monotonic()
        assert hub.log(1, wait=1).json["entries"] == []
        return time.monotonic() - start
    # What comes on top is the hub's if it is so each time, else the machine's.
    assert any(seconds_waited() < 3 for _ in range(3))


def test_a_hub_that_may_open_no_more_files_takes_who_comes_later(hub):
    process = hub.process.pid
    count, (_, most) = len(os.listdir(f"/proc/{process}/fd")), resource.prlimit(process, resource.RLIMIT_NOFILE)
    resource.prlimit(process, resource.RLIMIT_NOFILE, (count + 4, most))
    connections = [hub.connect() for _ in range(4)]
    for connection in connections:
        assert hub.ask("GET", "/v1/health", connection=connection).status == 200
    late = Asking(lambda: hub.ask("GET", "/v1/health"))
    assert hub.ask("GET", "/v1/health", connection=connections[0]).status == 200
    assert late.answer is None
    connections[1].close()
    assert late.join().answer.status == 200


def test_a_revoked_device_is_nobody_and_waits_no_longer(hub):
    second = hub.register(hub.ask("POST", "/v1/invitations").json["invitation"], "Pad").json
    asking = Asking(lambda: hub.log(wait=60, token=second["token"]))
    assert hub.ask("DELETE", f"/v1/devices/{second['device']}").status == 204
    assert asking.join().answer.status == 401
    assert asking.seconds < 30
    assert hub.log(token=second["token"]).status == 401
    assert hub.log().status == 200
    assert sorted(device["isRevoked"] for device in hub.ask("GET", "/v1/devices").json["devices"]) == [False, True]
    hub.end()
    hub.start()
    assert hub.log(token=second["token"]).status == 401


def test_an_invitation_works_once(hub):
    others = bytes([0x33] * 32)
    assert hub.register(hub.invitation, seed=others).json["error"]["code"] == "bad-invitation"
    typed = hub.run("invite").stdout.strip()
    assert hub.register(typed.lower().replace("-", " ")).status == 201
    assert hub.register(typed, seed=others).status == 403


def test_who_has_not_heard_that_it_is_registered_registers_again(hub):
    again = hub.register(hub.invitation)
    assert again.status == 201 and again.json["device"] == hub.device and again.json["token"] != hub.token
    # What nobody has heard is worth nothing any more.
    assert hub.ask("GET", "/v1/devices").status == 401
    hub.token = again.json["token"]
    assert [each["device"] for each in hub.ask("GET", "/v1/devices").json["devices"]] == [hub.device]


def test_a_blob_that_is_cut_off_is_gone_on_with(hub):
    whole = random.Random(3).randbytes(3_000_000)
    name = hashlib.sha256(whole).hexdigest()
    sent = 1_000_000
    with socket.create_connection(("127.0.0.1", hub.port)) as cut:
        cut.sendall((f"PUT {blobs('/' + name)} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer {hub.token}\r\n"
                     f"Content-Length: {len(whole)}\r\n"
                     f"Content-Range: bytes 0-{len(whole) - 1}/{len(whole)}\r\n\r\n").encode() + whole[:sent])
        # Cut off without a word; who asks a second later may go on.
        until(lambda: hub.ask("HEAD", blobs("/" + name)).headers.get("Upload-Offset", "0") != "0")
    offset = int(hub.ask("HEAD", blobs("/" + name)).headers["Upload-Offset"])
    assert 0 < offset <= sent
    hub.kill()
    hub.start()

    def put(first):
        return hub.ask("PUT", blobs("/" + name), whole[first:],
                       {"Content-Range": f"bytes {first}-{len(whole) - 1}/{len(whole)}"})
    wrong = put(offset + 1)
    assert (wrong.status, wrong.headers["Upload-Offset"]) == (409, str(offset))
    assert hub.ask("GET", blobs("/" + name)).status == 404
    assert put(offset).status == 201
    assert hub.ask("GET", blobs("/" + name)).body == whole
    part = hub.ask("GET", blobs("/" + name), headers={"Range": "bytes=2999990-"})
    assert (part.status, part.body) == (206, whole[2_999_990:])
    assert hub.ask("GET", blobs("/" + name), headers={"Range": "bytes=3000000-"}).status == 416


def test_a_body_with_two_lengths_becomes_no_blob(hub):
    with socket.create_connection(("127.0.0.1", hub.port), timeout=60) as raw:
        raw.sendall((f"PUT {blobs('/' + blob_name(1))} HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer {hub.token}\r\n"
                     "Content-Length: 1048576\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n").encode())
        assert raw.makefile("rb").readline().split()[1] == b"411"
    assert hub.ask("PUT", blobs("/" + blob_name(2)), b"another's").status == 201
    assert hub.ask("GET", blobs("/" + blob_name(1))).status == 404
    assert hub.ask("PUT", blobs("/" + blob_name(1)), b"x").status == 201
    assert hub.ask("GET", blobs("/" + blob_name(2))).body == b"another's"


def test_frames_come_back_as_many_as_fit(hub):
    made = {blob_name(number): os.urandom(9 << 20) for number in range(4)}
    for name, blob in made.items():
        assert hub.ask("POST", blobs(), frame(name, blob)).json == {"stored": 1}
    names = [*made, "ff" * 32]
    answer = hub.ask("POST", blobs("/read"), {"names": names})
    assert answer.body == b"".join(frame(name, made[name]) for name in names[:3])
    assert hub.ask("POST", blobs("/missing"), {"names": names}).json == {"missing": ["ff" * 32]}


def test_garbage_is_refused_and_harms_nothing(hub):
    def status(*arguments, **options):
        answer = hub.ask(*arguments, **options)
        assert set(answer.json["error"]) == {"code", "message"}, answer
        return answer.status
    good = commit(1, 0, "a")
    for bad in [{}, {"commits": 1}, {"commits": [{}]}, {"commits": [good | {"item": "AA" * 16}]},
                {"commits": [good | {"id": "G"}]}, {"commits": [good | {"base": -1}]},
                {"commits": [good | {"base": 1 << 70}]}, {"commits": [good | {"record": "?"}]}]:
        assert status("POST", f"/v1/containers/{CONTAINER}/commits", bad) == 400, bad
    for bad in [b"", b"{", b"\xff\xfe", b"[" * 100_000]:
        assert status("POST", f"/v1/containers/{CONTAINER}/commits", bad) == 400, bad[:9]
    assert hub.commit(*[good] * 1001).status == 413
    assert hub.commit(good | commit(1, 0, "a", bytes(256 << 10 + 1))).status == 413
    assert status("POST", blobs(), frame(blob_name(1), b"12345")[:-1]) == 400
    assert status("POST", blobs(), os.urandom(5000)) in (400, 413)
    assert status("POST", blobs(), b"", {"Content-Length": str(33 << 20)}) == 413
    assert status("PUT", blobs("/" + blob_name(1)), b"abc", {"Content-Range": "bytes 0-3/4"}) == 400
    assert status("GET", f"/v1/containers/{'ab' * 16}/log") == 404
    assert status("GET", "/v1/containers/../devices") in (400, 404)
    assert status("GET", "/v1/devices", token="00" * 32) == 401
    assert status("GET", "/v1/devices", token=None) == 401
    assert status("PATCH", "/v1/devices") == 405
    connection = hub.connect()
    connection.putrequest("POST", blobs())
    connection.putheader("Authorization", "Bearer " + hub.token)
    connection.putheader("Transfer-Encoding", "chunked")
    connection.endheaders()
    assert connection.getresponse().status == 411
    for _ in range(50):
        with socket.create_connection(("127.0.0.1", hub.port)) as raw:
            raw.sendall(os.urandom(2000))
    assert checked_log(hub) == []
    assert hub.ask("POST", blobs("/missing"), {"names": [blob_name(1)]}).json["missing"] == [blob_name(1)]


def test_guessing_and_hurrying_are_slowed_down(make_hub):
    hub = make_hub("--address-rate", "0.01")
    statuses = [hub.register("AAAAA-AAAAA-AAAAA-AAAAA").status for _ in range(12)]
    assert statuses[0] == 403 and statuses[-1] == 429
    refusal = hub.ask("GET", "/v1/pairings/AAAAAAAA/messages", token=None)
    assert refusal.status == 429 and int(refusal.headers["Retry-After"]) > 1
    # Four seconds' requests may come at once: two, of which one has made the container; the next may come after two seconds.
    other = make_hub("--address-rate", "0.01", "--device-rate", "0.5")
    answers = [other.log() for _ in range(12)]
    assert answers[0].status == 200 and answers[-1].status == 429
    for slow in [hub, other]:
        assert slow.ask("GET", "/v1/health", token=None).status == 200


def test_two_devices_pair_over_the_relay(hub):
    pairing = hub.ask("POST", "/v1/pairings").json["pairing"]
    path = f"/v1/pairings/{pairing}/messages"
    asking = Asking(lambda: hub.ask("GET", path + "?after=0&wait=60", token=None))
    assert hub.ask("POST", path, {"from": "second", "message": "AAEC"}, token=None).json == {"number": 1}
    assert asking.join().answer.json["messages"] == [{"number": 1, "from": "second", "message": "AAEC"}]
    for _ in range(15):
        assert hub.ask("POST", path, {"from": "first", "message": "AAEC"}, token=None).status == 201
    assert hub.ask("POST", path, {"from": "first", "message": "AAEC"}, token=None).status == 409
    assert hub.ask("GET", "/v1/pairings/22222222/messages", token=None).status == 404


def test_the_quota_holds(make_hub):
    hub = make_hub("--quota", "100K")
    # So many that their rows would take more than they may, however little is in them.
    small = b"".join(frame(blob_name(1000 + number), b"") for number in range(1000))
    refusal = hub.ask("POST", blobs(), small)
    assert (refusal.status, refusal.json["error"]["code"]) == (507, "quota")
    refusal = hub.commit(*(commit(number, 0, "f", b"") for number in range(1000, 1500)))
    assert (refusal.status, refusal.json["error"]["code"]) == (507, "quota")
    assert hub.ask("POST", blobs(), frame(blob_name(1), bytes(60_000))).status == 200
    refusal = hub.ask("POST", blobs(), frame(blob_name(2), bytes(60_000)))
    assert (refusal.status, refusal.json["error"]["code"]) == (507, "quota")
    refusal = hub.commit(commit(1, 0, "a", bytes(50_000)))
    assert refusal.status == 507 and " 102400 bytes" in refusal.json["error"]["message"]
    assert hub.commit(commit(1, 0, "a", bytes(30_000))).status == 200
    assert hub.ask("POST", blobs(), frame(blob_name(2), bytes(11_000))).status == 200
    refusal = hub.ask("POST", blobs(), frame(blob_name(3), bytes(1000)))
    assert refusal.status == 507 and " 102400 bytes" in refusal.json["error"]["message"]
    # Who has no room for a blob can say what is removed.
    assert hub.commit(commit(2, 0, "b", bytes(1000))).status == 200


def expect_removed_but(hub, other):
    """The other container is there alone: no request reaches this one, nor makes it again, and each is told why."""
    path = f"/v1/containers/{CONTAINER}"
    for answer in [hub.log(wait=60), hub.ask("PUT", path), hub.commit(commit(9, 0, "f")),
                   hub.ask("POST", blobs(), frame(blob_name(9), b"late")), hub.ask("GET", blobs("/" + blob_name(1))),
                   hub.ask("POST", blobs("/missing"), {"names": [blob_name(1)]})]:
        assert (answer.status, answer.json["error"]["code"]) == (410, "removed"), answer
        assert f"sheaf hub keep {CONTAINER}" in answer.json["error"]["message"]
    assert [found["container"] for found in hub.ask("GET", "/v1/containers").json["containers"]] == [other]


def test_a_folder_is_removed_from_the_hub_and_kept_again(hub):
    blob = os.urandom(3000)
    assert hub.ask("POST", blobs(), frame(blob_name(1), blob)).status == 200
    assert hub.commit(commit(1, 0, "a"), commit(2, 0, "b")).status == 200
    other = "ab" * 16
    assert hub.ask("PUT", f"/v1/containers/{other}").status == 201
    log = checked_log(hub)
    [first, second] = json.loads(hub.run("folders", "--json").stdout)
    assert (first["id"], first["account"], first["commitCount"]) == (CONTAINER, 1, 2)
    assert first["byteCount"] >= len(blob) and first["changed"] and first["standing"] == "kept"
    assert [device["name"] for device in first["devices"]] == ["Phone"]
    assert (second["id"], second["devices"]) == (other, [])
    # Nobody answers, so nothing is done.
    asked = hub.run("remove", CONTAINER)
    assert asked.returncode == 1 and "Nothing was changed" in asked.stdout, asked.stdout + asked.stderr
    assert checked_log(hub) == log
    asking = Asking(lambda: hub.log(2, wait=60))
    removed = hub.run("remove", CONTAINER[:6], "--yes")
    assert removed.returncode == 0 and f"sheaf hub keep {CONTAINER}" in removed.stdout, removed.stdout + removed.stderr
    assert asking.join().answer.status == 410 and asking.seconds < 30
    expect_removed_but(hub, other)
    hub.kill()
    hub.start()
    expect_removed_but(hub, other)
    assert "“keep” has it back" in hub.run("folders").stdout
    kept = hub.run("keep", CONTAINER)
    assert kept.returncode == 0, kept.stderr
    assert checked_log(hub) == log
    assert hub.ask("GET", blobs("/" + blob_name(1))).body == blob
    assert hub.commit(commit(3, 0, "c")).json["answers"] == [{"accepted": 3}]
    # While no hub runs.
    hub.end()
    assert hub.run("remove", CONTAINER, "--yes").returncode == 0
    hub.start()
    expect_removed_but(hub, other)
    hub.end()
    assert hub.run("keep", CONTAINER).returncode == 0
    hub.start()
    assert len(checked_log(hub)) == 3
    unknown = hub.run("remove", "ff" * 16, "--yes")
    assert unknown.returncode == 1 and "sheaf hub folders" in unknown.stderr


def test_it_ends_within_a_second_and_answers_those_who_wait(hub):
    def seconds_to_end():
        connections = [hub.connect() for _ in range(20)]
        for connection in connections:
            connection.request("GET", f"/v1/containers/{CONTAINER}/log?after=0&wait=60",
                               headers={"Authorization": "Bearer " + hub.token})
        asking = [Asking(lambda waiting=waiting: Answer(waiting.getresponse())) for waiting in connections]
        held = hub.connect()
        hub.ask("GET", "/v1/health", connection=held)
        hub.log(wait=1)  # A second in which the others have come to wait.
        start = time.monotonic()
        assert hub.end() == 0
        seconds = time.monotonic() - start
        assert [ask.join().answer.status for ask in asking] == [200] * 20
        return seconds
    # What it takes longer is the hub's if it is so each time, else the machine's.
    seconds = [seconds_to_end()]
    while seconds[-1] >= 1 and len(seconds) < 3:
        hub.start()
        seconds.append(seconds_to_end())
    assert min(seconds) < 1, seconds


def test_nobody_else_can_read_what_it_keeps_and_no_secret_is_told(hub):
    hub.ask("POST", blobs(), frame(blob_name(1), bytes(2 << 20)) + frame(blob_name(2), b"small"))
    hub.run("invite")
    for folder, _, names in os.walk(hub.data):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            # SQLite makes its helpers with the database's permissions.
            assert stat.S_IMODE(os.stat(path).st_mode) & 0o077 == 0, path
    hub.end()
    assert hub.token not in "".join(hub.output)
    for folder, _, names in os.walk(hub.data):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            assert hub.token.encode() not in data and bytes.fromhex(hub.token) not in data, name


def test_it_listens_elsewhere_only_behind_a_proxy(hub, tmp_path):
    other = Hub(tmp_path / "other")
    refused = other.run("--listen", "0.0.0.0:0")
    assert refused.returncode == 1 and "--behind-proxy" in refused.stderr
    assert "running" in hub.run("--listen", "127.0.0.1:0").stderr


def test_a_backup_made_while_it_runs_is_a_hub_as_it_was(hub, tmp_path):
    stop, count = threading.Event(), [0]

    def work():
        connection = hub.connect()
        while not stop.is_set():
            number = count[0] + 1
            blob = number.to_bytes(4, "big") * 500
            assert hub.ask("POST", blobs(), frame(blob_name(number), blob), connection=connection).status == 200
            assert hub.commit(commit(number, 0, f"{number:x}"), connection=connection).status == 200
            count[0] = number
    thread = threading.Thread(target=work)
    thread.start()
    large = os.urandom(2 << 20)
    hub.ask("PUT", blobs("/" + "ee" * 32), large)
    until(lambda: count[0] > 20)
    before = count[0]
    made = hub.run("backup", tmp_path / "copy")
    stop.set()
    thread.join()
    assert made.returncode == 0, made.stderr
    # Wherever it is taken from there, nobody else may read it.
    for name in ("records.db", "blobs.db"):
        assert (tmp_path / "copy" / name).stat().st_mode & 0o777 == 0o600, name
    assert hub.run("backup", tmp_path / "copy").returncode == 1
    assert hub.run("restore", tmp_path / "copy").returncode == 1
    hub.kill()
    restored = Hub(tmp_path / "restored", *hub.options)
    assert restored.run("restore", tmp_path / "copy").returncode == 0
    restored.token = hub.token
    restored.start()
    try:
        entries = checked_log(restored)
        assert before <= len(entries) <= count[0]
        assert restored.ask("GET", blobs("/" + "ee" * 32)).body == large
        for number in range(1, len(entries) + 1):
            found = restored.ask("GET", blobs("/" + blob_name(number)))
            assert found.body == number.to_bytes(4, "big") * 500
        assert restored.commit(commit(10_000, 0, "ff")).json["answers"] == [{"accepted": len(entries) + 1}]
    finally:
        restored.kill()


@pytest.mark.parametrize("starts", [1, 2])
def test_a_copy_of_the_folder_of_a_hub_that_is_stopped_is_a_backup(hub, tmp_path, starts):
    """What is newest is in the databases' logs then."""
    for number in range(1, starts + 1):
        blob = bytes([number]) * 2000
        assert hub.ask("POST", blobs(), frame(blob_name(number), blob)).status == 200
        assert hub.commit(commit(number, 0, f"{number:x}")).status == 200
        hub.end()
        if number < starts:
            hub.start()
    shutil.copytree(hub.data, tmp_path / "copy")
    restored = Hub(tmp_path / "restored", *hub.options)
    made = restored.run("restore", tmp_path / "copy")
    assert made.returncode == 0, made.stderr
    restored.token = hub.token
    restored.start()
    try:
        assert len(checked_log(restored)) == starts
        for number in range(1, starts + 1):
            assert restored.ask("GET", blobs("/" + blob_name(number))).body == bytes([number]) * 2000
    finally:
        restored.kill()


def test_what_was_acknowledged_outlives_kills(hub):
    """Killed at random moments under load; the kill harness does the same before every single write."""
    seed = int(os.environ.get("HUB_SEED", random.randrange(1 << 32)))
    print("HUB_SEED", seed)
    numbers = random.Random(seed)
    accepted, stored, surprises = {}, {}, []

    def work(worker, round_):
        connection = hub.connect()
        try:
            for step in range(10_000):
                number = (round_ * 10 + worker) * 10_000 + step
                blob = number.to_bytes(8, "big") * (100 if step % 20 else 200_000)
                if hub.ask("POST", blobs(), frame(blob_name(number), blob), connection=connection).status == 200:
                    stored[number] = blob
                answer = hub.commit(commit(number, 0, f"{number:x}"), connection=connection)
                accepted[number] = answer.json["answers"][0]["accepted"]
        except (OSError, http.client.HTTPException):
            return  # It has been killed.
        except Exception as error:
            surprises.append(error)

    for round_ in range(6):
        workers = [threading.Thread(target=work, args=(worker, round_)) for worker in range(4)]
        known = len(accepted)
        for worker in workers:
            worker.start()
        until(lambda: len(accepted) > known + numbers.randrange(60))
        hub.kill()
        for worker in workers:
            worker.join()
        assert surprises == []
        hub.start()
        log = {int(entry["id"], 16): entry["position"] for entry in checked_log(hub)}
        assert {number: log.get(number) for number in accepted} == accepted
    names = [blob_name(number) for number in stored]
    assert hub.ask("POST", blobs("/missing"), {"names": names}).json == {"missing": []}
    for number, blob in stored.items():
        assert hub.ask("GET", blobs("/" + blob_name(number))).body == blob
