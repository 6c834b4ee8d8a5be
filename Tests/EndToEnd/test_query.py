"""A process with a standing query, as an app has one."""

import os
import shutil
import tempfile
import time
from pathlib import Path

import pytest
from devices import Device, Hub, is_anything_due, wait_for
from scripted_process import QueryProcess

ROOT = Path(__file__).resolve().parents[2]
BINARIES = ROOT / ".build" / os.environ.get("SHEAF_CONFIGURATION", "debug")
COUNT = 3000


@pytest.fixture
def base():
    folder = Path(tempfile.mkdtemp(prefix="sheaf-query-"))
    yield folder
    shutil.rmtree(folder)


def fill(folder):
    for number in range(COUNT):
        place = folder / f"{number % 30}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.txt").write_text(str(number))


def check_rest(app):
    """It comes to rest: for five seconds on end nothing is due in it, and it uses no processor time."""
    quiet, used = [time.monotonic()], [app.processor_ticks]

    def is_at_rest():
        ticks = app.processor_ticks
        if is_anything_due(app.id) or ticks != used[0]:
            quiet[0], used[0] = time.monotonic(), ticks
        # What comes every second is set again as soon as it has come.
        return time.monotonic() - quiet[0] > 5

    wait_for(is_at_rest, 60, lambda: f"{used[0]} ticks used; a timer is due: {is_anything_due(app.id)}")


def test_a_standing_query_over_a_folder_does_nothing_while_nothing_happens(base):
    fill(base / "files")
    app = QueryProcess(BINARIES, {"SHEAF_AGENT": "off"}, base / "errors", base / "files")
    try:
        assert app.found == COUNT + 30
        check_rest(app)
        (base / "files" / "7" / "new.txt").write_text("x")
        app.hears(f"now {COUNT + 31}")
    finally:
        app.leave()


def test_a_standing_query_over_a_container_does_nothing_while_nothing_happens(base):
    hub = Hub(BINARIES / "sheaf", base)
    hub.start()
    device = Device(BINARIES / "sheaf", base, "device")
    device.begin(hub)
    documents = device.folder / "iCloud~notes" / "Documents"
    fill(documents)
    device.start()
    environment = {"SHEAF_AGENT": "off", "SHEAF_UBIQUITY_CONTAINER": "iCloud.notes", **device.environment}
    try:
        wait_for(lambda: device.is_in_step, 40, lambda: device.said)
        app = QueryProcess(BINARIES, environment, base / "errors")
        try:
            assert app.found == COUNT + 30
            check_rest(app)
            (documents / "7" / "new.txt").write_text("x")
            app.hears(f"now {COUNT + 31}")
            # That it is at the hub by now is an update of its own.
            wait_for(lambda: device.is_in_step, 20, lambda: device.said)
            check_rest(app)
        finally:
            app.leave()
    finally:
        for process in [device, hub]:
            process.end()
