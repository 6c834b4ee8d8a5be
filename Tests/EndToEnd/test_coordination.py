"""What the rules of file coordination say, between two real processes and an agent."""

import itertools
import json
import time

import pytest

from agent_process import Agent
from conftest import BINARIES
from scripted_process import ScriptedProcess
from waiting import until


@pytest.fixture
def start(agent, tmp_path):
    """Starts a process that does what it is told."""
    processes, numbers = [], itertools.count()

    def start():
        processes.append(ScriptedProcess(BINARIES, agent.environment, tmp_path / f"errors{next(numbers)}"))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()


@pytest.fixture
def pair(start):
    return start(), start()


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "documents"
    folder.mkdir()
    return folder


def waits(agent):
    """The paths that accesses wait for at the agent."""
    report = json.loads(agent.ask("locks", "--json").stdout)
    return [item["path"] for wait in report["waits"] for item in wait["items"]]


def waits_for(agent, path):
    until(lambda: waits(agent) == [str(path)])


# Who waits for whom


def test_members_of_one_package_are_one_item(agent, pair, folder):
    writer, reader = pair
    package = folder / "Sea.scrap"
    package.mkdir()
    (package / "text").write_text("old")
    writer.tell("begin w write", package / "picture").hears("w granted")
    reader.tell("begin r read", package / "text")
    waits_for(agent, package / "text")
    # What is beside the package waits for nobody.
    reader.tell("begin other read", folder / "Other.txt").hears("other granted")
    writer.does("w", "write", package / "text", "new").ends("w")
    reader.hears("r granted", package / "text")


def test_members_of_a_plain_folder_are_not(pair, folder):
    writer, reader = pair
    (folder / "plain").mkdir()
    writer.tell("begin w write", folder / "plain" / "a").hears("w granted")
    reader.tell("begin r read", folder / "plain" / "b").hears("r granted")
    reader.tell("begin f read", folder / "plain").hears("f granted")


@pytest.mark.parametrize("kind", ["delete", "swap"])
def test_a_folder_goes_only_when_nobody_uses_what_is_in_it(agent, pair, folder, kind):
    one, other = pair
    inside = folder / "going" / "deep"
    inside.mkdir(parents=True)
    places = [folder / "going"] + ([folder / "gone"] if kind == "swap" else [])
    other.tell("begin r read", inside / "note.txt").hears("r granted")
    one.tell("begin d", kind, *places)
    until(lambda: waits(agent) == [str(place) for place in places])
    other.ends("r")
    one.hears("d granted")
    # And the other way round: nobody gets into what is about to go.
    other.tell("begin again write", inside / "note.txt")
    waits_for(agent, inside / "note.txt")
    one.ends("d")
    other.hears("again granted")


def test_writing_a_folder_keeps_nobody_from_what_is_in_it(pair, folder):
    one, other = pair
    (folder / "plain").mkdir()
    one.tell("begin w write", folder / "plain").hears("w granted")
    other.tell("begin r write", folder / "plain" / "note.txt").hears("r granted")


def test_a_batch_is_asked_for_once_and_then_goes_through(agent, pair, folder):
    batch, other = pair
    paths = [folder / f"{number}.txt" for number in range(3)]
    for number, path in enumerate(paths):
        path.write_text("old")
        other.tell(f"present p{number}", path).hears(f"p{number} presents")
    batch.tell("begin b prepare", *paths).hears("b granted")
    other.tell("begin r read", paths[1])
    waits_for(agent, paths[1])
    for path in paths:
        batch.tell("b again write", path).hears("b again", path)
    batch.ends("b")
    other.hears("r granted", paths[1])
    other.tell("r end").hears("r ended")
    for number in range(3):
        said = [line for line in other.lines if line.startswith(f"p{number} ")]
        assert said.count(f"p{number} writer") == 1, "presenters make way for the batch, not for each access in it"


def test_intents_are_granted_together(agent, pair, folder):
    one, other = pair
    paths = [folder / "a.txt", folder / "b.txt"]
    other.tell("begin w write", paths[1]).hears("w granted")
    one.tell("begin i intents", *paths)
    until(lambda: waits(agent) == [str(path) for path in paths])
    # What waits for one has neither, and keeps its place for both.
    other.tell("begin late write", paths[0])
    until(lambda: len(waits(agent)) == 3)
    other.tell("w end")
    one.hears("i granted", *paths)
    assert "late granted" not in " ".join(other.lines)
    one.ends("i")
    other.hears("late granted", paths[0])


def test_both_are_written_or_none(agent, pair, folder):
    one, other = pair
    paths = [folder / "a.txt", folder / "b.txt"]
    other.tell("begin r read", paths[1]).hears("r granted")
    one.tell("begin w both", *paths)
    until(lambda: waits(agent) == [str(path) for path in paths])
    other.ends("r")
    one.hears("w granted", *paths)
    for name, path in zip("xy", paths):
        other.tell("begin", name, "read", path)
    until(lambda: sorted(waits(agent)) == sorted(map(str, paths)))
    for path in paths:
        one.does("w", "write", path, "new")
    one.ends("w")
    # Which of the two is let in first is nobody's promise.
    until(lambda: {f"{name} granted {path}" for name, path in zip("xy", paths)} <= set(other.lines))


@pytest.mark.parametrize("kind", ["read", "save-read", "write", "merge", "delete", "replace"])
def test_accesses_of_one_purpose_are_not_in_each_others_way(agent, pair, folder, kind):
    one, other = pair
    path = folder / "note.txt"
    path.write_text("old")
    one.tell("begin w as sync.engine write", path).hears("w granted")
    other.tell("begin same as sync.engine", kind, path).hears("same granted", path)
    # Another purpose is, and none is another.
    other.tell("begin different as sync.other", kind, path)
    waits_for(agent, path)
    other.tell("begin none", kind, path)
    until(lambda: waits(agent) == [str(path)] * 2)
    other.ends("same")
    assert waits(agent) == [str(path)] * 2
    one.ends("w")
    other.hears("different granted", path)


def test_presenters_make_way_once_for_all_accesses_of_a_purpose(pair, folder):
    one, other = pair
    path = folder / "note.txt"
    path.write_text("old")
    other.tell("present p", path).hears("p presents")
    one.tell("begin w as sync.engine write", path).hears("w granted")
    assert other.hears("p") == "p writer"
    # They are not asked by the second, wherever it is, hear of what each has written, and come back when both have ended.
    other.tell("begin v as sync.engine write", path).hears("v granted")
    one.ends("w")
    assert other.hears("p") == "p changed"
    other.tell("begin beside read", folder / "other.txt").hears("beside granted")
    other.tell("v end").hears("v ended")
    one.tell("begin u as sync.engine write", path).hears("u granted")
    until(lambda: other.lines.count("p writer") == 2)
    said = [line for line in other.lines if line.startswith("p ")]
    assert said == ["p presents", "p writer", "p changed", "p changed", "p reacquires", "p writer"]


def test_who_is_cancelled_fails_and_holds_up_nobody(agent, pair, folder):
    one, other = pair
    path = folder / "note.txt"
    other.tell("begin r read", path).hears("r granted")
    one.tell("begin w intents", path)
    waits_for(agent, path)
    other.tell("begin later read", path)
    until(lambda: len(waits(agent)) == 2)
    one.tell("cancel w").hears("w failed NSCocoaErrorDomain 3072")
    other.hears("later granted", path)
    assert waits(agent) == []


# What presenters are asked and told


def test_a_deletion_is_put_to_the_presenters_first(pair, folder):
    one, other = pair
    path = folder / "note.txt"
    path.write_text("old")
    other.tell("present p", path).hears("p presents")
    one.tell("begin d delete", path).hears("d granted")
    assert [other.hears("p") for _ in range(2)] == ["p writer", "p deletion"]
    one.does("d", "remove", path).ends("d")
    other.hears("p reacquires")
    assert not path.exists()


def test_a_presenter_that_objects_to_a_deletion_keeps_its_item(pair, folder):
    one, other = pair
    path = folder / "note.txt"
    path.write_text("old")
    other.tell("present p", path).hears("p presents")
    other.tell("refuse p deletion").hears("p refuses")
    one.tell("begin d delete", path).hears("d failed NSCocoaErrorDomain 513")
    other.hears("p reacquires")
    # Nothing is left in the way.
    one.tell("begin w write", path).hears("w granted")


def test_what_goes_with_a_folder_is_put_to_its_own_presenters(pair, folder):
    one, other = pair
    (folder / "going").mkdir()
    path = folder / "going" / "note.txt"
    path.write_text("old")
    other.tell("present p", path).hears("p presents")
    one.tell("begin d delete", folder / "going").hears("d granted")
    assert [other.hears("p") for _ in range(2)] == ["p writer", "p deletion"]


def test_the_presenter_of_a_package_is_asked_for_a_member_that_goes(pair, folder):
    one, other = pair
    package = folder / "Sea.scrap"
    package.mkdir()
    (package / "text").write_text("old")
    other.tell("present p", package).hears("p presents")
    one.tell("begin d delete", package / "text").hears("d granted")
    assert [other.hears("p") for _ in range(2)] == ["p writer", f"p subitem-deletion {package / 'text'}"]
    other.tell("refuse p subitem-deletion").hears("p refuses")
    one.does("d", "remove", package / "text").ends("d")
    other.hears(f"p subitem-changed {package / 'text'}")
    other.hears("p reacquires")
    (package / "picture").write_text("old")
    one.tell("begin e delete", package / "picture").hears("e failed NSCocoaErrorDomain 513")


def test_new_changed_and_removed_items_are_told_to_the_presenter_of_their_folder(pair, folder):
    one, other = pair
    path = folder / "new.txt"
    other.tell("present f", folder).hears("f presents")
    one.tell("begin w write", path).hears("w granted")
    one.does("w", "write", path, "first").ends("w")
    other.hears(f"f appeared {path}")
    one.tell("begin v write", path).hears("v granted")
    one.does("v", "write", path, "second").ends("v")
    other.hears(f"f subitem-changed {path}")
    one.tell("begin d delete", path).hears("d granted")
    one.does("d", "remove", path).ends("d")
    other.hears(f"f subitem-changed {path}")
    assert not any("subitem-deletion" in line for line in other.lines), "the folder is no package"


def test_a_move_is_told_to_all_whom_it_concerns_and_followed_by_who_waits(agent, pair, folder):
    one, other = pair
    (folder / "to").mkdir()
    source, target = folder / "note.txt", folder / "to" / "moved.txt"
    source.write_text("old")
    for name, place in [("p", source), ("f", folder), ("t", folder / "to")]:
        other.tell("present", name, place).hears(name, "presents")
    one.tell("begin m swap", source, target).hears("m granted")
    other.tell("begin r read", source)
    waits_for(agent, source)
    one.does("m", "move", source, target)
    until(lambda: waits(agent) == [str(target)])
    assert not any("moved" in line for line in other.lines), "the access that moves it has not ended"
    one.ends("m")
    other.hears("r granted", target)
    until(lambda: {f"p moved {target}", f"f subitem-moved {source} {target}", f"t appeared {target}"} <= set(other.lines))
    # Its presenter has followed it.
    other.ends("r")
    one.tell("begin w write", target).hears("w granted")
    one.does("w", "write", target, "new").ends("w")
    until(lambda: other.lines.count("p changed") == 1)


def test_who_saves_first_is_read_after_it(pair, folder):
    one, other = pair
    path = folder / "note.txt"
    path.write_text("old")
    other.tell("present p", path).hears("p presents")
    one.tell("begin r save-read", path).hears("r granted")
    assert [other.hears("p") for _ in range(2)] == ["p reader", "p save"]
    one.ends("r")
    other.hears("p reacquires")


@pytest.mark.parametrize("kind", ["save-read", "merge"])
def test_what_it_writes_to_save_is_there_for_whom_it_saves(agent, pair, folder, kind):
    one, other = pair
    path = folder / "note.txt"
    path.write_text("old")
    other.tell("present p", path).hears("p presents")
    other.tell("saves p new").hears("p has unsaved")
    # It has asked for access while somebody waits for its answer: it gets it, as it saves for him.
    one.tell("begin a", kind, path).hears("a granted", path)
    assert path.read_text() == "new"
    asked = "reader" if kind == "save-read" else "writer"
    assert [other.hears("p") for _ in range(3)] == [f"p {asked}", "p save", f"p saved {path}"]
    # And not again: it has nothing unsaved any more.
    one.ends("a")
    other.hears("p reacquires")
    assert waits(agent) == []


def test_what_it_writes_to_save_is_told_to_other_presenters(start, folder):
    reader, presenter, listener = start(), start(), start()
    path = folder / "note.txt"
    path.write_text("old")
    presenter.tell("present p", path).hears("p presents")
    presenter.tell("saves p new").hears("p has unsaved")
    listener.tell("present l", path).hears("l presents")
    reader.tell("begin r save-read", path).hears("r granted", path)
    assert path.read_text() == "new"
    until(lambda: "l changed" in listener.lines)
    # It made way twice, for who saves and for who reads.
    assert {"l writer", "l reader"} <= set(listener.lines)
    assert "p changed" not in presenter.lines and "p writer" not in presenter.lines


def test_who_replaces_a_moved_item_keeps_the_place_that_it_asked_for(agent, pair, folder):
    one, other = pair
    source, target = folder / "note.txt", folder / "moved.txt"
    source.write_text("old")
    one.tell("begin m swap", source, target).hears("m granted")
    other.tell("begin replace replace", source)
    waits_for(agent, source)
    other.tell("begin write write", source)
    until(lambda: len(waits(agent)) == 2)
    one.does("m", "move", source, target)
    # Who wants to write goes with the item; for who replaces it, it has gone.
    until(lambda: sorted(waits(agent)) == sorted([str(source), str(target)]))
    one.ends("m")
    other.hears("replace granted", source)
    other.does("replace", "write", source, "new").ends("replace")
    until(lambda: f"write granted {target}" in other.lines)
    assert (source.read_text(), target.read_text()) == ("new", "old")


# Deadlocks


def test_of_two_processes_in_a_deadlock_the_later_fails_and_all_is_told(agent, pair, folder):
    one, other = pair
    first, second = folder / "first.txt", folder / "second.txt"
    for process, name, path in [(one, "page", first), (other, "sheet", second)]:
        process.tell("present", name, path).hears(name, "presents")
        process.tell("begin outer for", name, "write", path).hears("outer granted")
    one.tell("outer begin inner write", second)
    waits_for(agent, second)
    other.tell("outer begin inner write", first)
    error = other.hears("inner failed deadlock")
    # The other goes on as soon as the one that failed has ended.
    assert waits(agent) == [str(second)]
    other.ends("outer")
    one.hears("inner granted", second)
    one.ends("inner").ends("outer")
    place = "ScriptedPresenter (registered at coordination_harness/ScriptedProcess.swift:"
    doctor = agent.ask("doctor")
    assert doctor.returncode == 1
    until(lambda: "a deadlock was broken" in other.complaints)
    # The agent says the same, where somebody reads who does not read what each program says.
    until(lambda: agent.log.endswith(".\n"))
    assert agent.log.removeprefix("sheaf agent: ") == other.complaints.removeprefix("NSFileCoordinator: ")
    for text in [error, other.complaints, doctor.stdout]:
        assert text.count(place) == 2, text
        for process in pair:
            assert f"in coordination-harness (process {process.id})" in text, text
        for path in [first, second]:
            assert f"waits to write “{path}”" in text, text
        assert " ago) in coordination-harness" in text and "has been writing for " in text, text
    assert one.complaints == ""
    locks = agent.ask("locks").stdout
    assert locks.count("registered at coordination_harness/ScriptedProcess.swift:") == 2
    report = json.loads(agent.ask("doctor", "--json").stdout)
    parties = [member["party"] for member in report["brokenCycles"][0]["members"] if "presenter" in member["party"]]
    assert len(parties) == 2
    for party in parties:
        assert party["registeredAt"].startswith("coordination_harness/ScriptedProcess.swift:")
        assert party["registeredSince"] <= report["time"]


def test_who_dies_in_the_way_of_others_is_out_of_it(agent, pair, folder):
    one, other = pair
    path = folder / "note.txt"
    other.tell("present p", path).hears("p presents")
    other.tell("begin w write", path).hears("w granted")
    one.tell("begin r read", path)
    waits_for(agent, path)
    other.kill()
    one.hears("r granted", path)


# Who does not answer


@pytest.mark.parametrize("options, seconds", [(["--presenter-limit", "0.3"], 0.3), ([], 5)])
def test_who_waits_for_a_stopped_presenter_fails_after_the_limit_and_hears_its_name(
        tmp_path, folder, options, seconds):
    path = folder / "note.txt"
    path.write_text("old")
    with Agent(BINARIES, tmp_path / "other-run", *options) as agent:
        writer, presenter = [
            ScriptedProcess(BINARIES, agent.environment, tmp_path / name) for name in ["writer", "presenter"]]
        try:
            presenter.tell("present p", path).hears("p presents")
            presenter.stop()
            began = time.monotonic()
            writer.tell("begin w write", path)
            error = writer.hears("w failed presenterTimedOut")
            waited = [time.monotonic() - began]
            # What it takes longer is the agent's if it is so each time, else the machine's.
            while waited[-1] >= seconds + 4 and len(waited) < 3:
                began = time.monotonic()
                writer.tell(f"begin late{len(waited)} write", path)
                error = writer.hears(f"late{len(waited)} failed presenterTimedOut")
                waited.append(time.monotonic() - began)
            assert seconds <= min(waited) < seconds + 4, waited
            assert "ScriptedPresenter (registered at coordination_harness/ScriptedProcess.swift:" in error
            assert f"in coordination-harness (process {presenter.id})" in error
            assert waits(agent) == []
            # Who goes on is asked again, and answers, once it has begun to in time.
            presenter.go_on()
            numbers = itertools.count()

            def is_granted():
                name = f"again{next(numbers)}"
                said = writer.tell(f"begin {name} write", path).hears(f"{name} ")
                assert said.startswith((f"{name} granted {path}", f"{name} failed presenterTimedOut")), said
                return said.startswith(f"{name} granted")

            until(is_granted)
        finally:
            for process in [writer, presenter]:
                process.kill()
