"""The key-value stores of apps on two devices, and a hub: each a process."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from devices import Device, Hub, wait_for
from scripted_process import KeyValueProcess

ROOT = Path(__file__).resolve().parents[2]
BINARIES = ROOT / ".build" / os.environ.get("SHEAF_CONFIGURATION", "debug")
# Foundation's names for the reasons.
SERVER_CHANGE, ACCOUNT_CHANGE = 0, 3


@pytest.fixture
def base():
    folder = Path(tempfile.mkdtemp(prefix="sheaf-values-"))
    yield folder
    shutil.rmtree(folder)


def test_an_app_gets_the_values_of_an_account_that_is_joined_while_it_runs(base):
    hub = Hub(BINARIES / "sheaf", base)
    hub.start()
    devices = [Device(BINARIES / "sheaf", base, f"device-{number}") for number in range(2)]
    first, second = devices
    first.begin(hub)
    apps = [
        KeyValueProcess(BINARIES, {"SHEAF_AGENT": "off", **device.environment}, base / f"app of {device.name}")
        for device in devices
    ]
    try:
        # An app may be there before anything keeps its folder in step; nothing comes to this one that it has to wait for.
        first.start()
        wait_for(lambda: first.is_in_step, 20, lambda: first.said)
        apps[0].set("theme", "sepia")
        # Of a device that is in no account.
        apps[1].set("theme", "white")
        apps[1].set("own", "here")
        wait_for(lambda: first.is_in_step, 20, lambda: first.said)
        said = first.share(hub, second)
        assert "is joined" in said[1], said
        apps[1].hears("account there")
        second.start()
        reason = apps[1].hears("changed ").split()
        assert reason[1] == str(ACCOUNT_CHANGE), reason
        wait_for(lambda: apps[1].get("theme") == "sepia", 20, lambda: second.said)
        # Values of no account are the account's from then on, but where it has others.
        assert apps[1].get("own") == "here"
        assert apps[0].hears(f"changed {SERVER_CHANGE}") == f"changed {SERVER_CHANGE} own"
        assert apps[0].get("own") == "here"
        apps[1].set("theme", "dark")
        assert apps[0].hears(f"changed {SERVER_CHANGE}") == f"changed {SERVER_CHANGE} theme"
        assert apps[0].get("theme") == "dark"
    finally:
        for process in apps:
            process.leave()
        for process in [*devices, hub]:
            process.end()
