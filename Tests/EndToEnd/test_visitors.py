"""Who gets to the page, and whom the page takes for its app."""

import os
import pathlib
import re
import subprocess

import pytest
from playwright.sync_api import expect

from color_editor import set_hex
from devices import wait_for
from impostor import Impostor
from test_connection import bar
from waiting import until

ROOT = pathlib.Path(__file__).resolve().parents[2]


def port(app):
    return int(re.search(r":(\d+)/", app.link)[1])


@pytest.fixture
def listening(start_app, open_tab, chromium):
    """A tab, and all that its app has said to it."""
    context, said = chromium.new_context(), []
    context.on("page", lambda page: page.on(
        "websocket", lambda line: line.on("framereceived", lambda frame: said.append(frame))))
    yield open_tab(start_app("Color"), context=context), said
    context.close()


def test_a_program_that_has_taken_the_port_hears_nothing_of_what_was_entered(listening):
    tab, said = listening
    tab.create()
    set_hex(tab, "#101010")
    tab.expect_saved()
    # A line begins with the whole scene; so does what this program says of itself.
    tab.page.reload()
    tab.expect_opened()
    last = max(index for index, message in enumerate(said) if '"hello"' in message)
    greeting = said[max(0, last - 1):last + 1]
    tab.app.kill()
    expect(bar(tab)).to_be_visible()
    set_hex(tab, "#202020")
    with Impostor(port(tab.app), says=greeting) as impostor:
        until(lambda: tab.page.evaluate("true") and (impostor.heard or impostor.ended_line_count > 1))
        assert impostor.heard == []
        expect(bar(tab)).to_be_visible()
    tab.app.start()
    expect(bar(tab)).to_be_hidden()


def test_a_page_takes_no_script_from_a_program_that_has_taken_the_port(listening):
    tab, _ = listening
    tab.app.kill()
    expect(bar(tab)).to_be_visible()
    with Impostor(port(tab.app)) as impostor:
        tab.page.get_by_role("button", name="More").click()
        expect(tab.page.get_by_role("region", name="Notices")).to_contain_text("Not connected")
        lines = impostor.line_count
        until(lambda: tab.page.evaluate("true") and impostor.line_count > lines)
        assert tab.page.evaluate("globalThis.isTaken") is None
        # Whether the person is signed in is asked; what comes of that is not run.
        assert {target.split("?")[0] for target in impostor.targets} <= {"/live", "/page/strings.js"}
    tab.app.start()
    expect(bar(tab)).to_be_hidden()
    tab.create()


def test_a_link_in_a_file_leads_to_the_page(start_app, chromium, tmp_path):
    app = start_app("Color")
    page_file = tmp_path / "link.html"
    page_file.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={app.link}">')
    context = chromium.new_context()
    page = context.new_page()
    page.goto(page_file.as_uri())
    expect(page.get_by_role("toolbar", name="Documents toolbar")).to_be_visible()
    assert page.url == app.link.split("?")[0]
    context.close()


def test_the_browser_is_given_a_link_that_no_other_user_can_follow(start_app, chromium, tmp_path):
    tools, opened = tmp_path / "tools", tmp_path / "opened"
    tools.mkdir()
    (tools / "xdg-open").write_text(f'#!/bin/sh\necho "$@" > {opened}.new && mv {opened}.new {opened}\n')
    (tools / "xdg-open").chmod(0o755)
    app = start_app("Color", files=["--browse"], environment={"PATH": f"{tools}:{os.environ['PATH']}"})
    until(opened.exists)
    link = opened.read_text().strip()
    assert link != app.link and link.startswith(app.link.split("?")[0])
    if os.geteuid() == 0:
        # Whoever looks at the arguments of processes comes first, and finds nobody.
        assert as_another_user(port(app), link) == b""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(link)
    expect(page.get_by_role("toolbar", name="Documents toolbar")).to_be_visible()
    context.close()


ASKING = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.sendall(f"GET {sys.argv[2]} HTTP/1.1\\r\\nHost: 127.0.0.1:{sys.argv[1]}\\r\\n\\r\\n".encode())
    try:
        sys.stdout.write(connection.recv(4096).decode())
    except ConnectionError:
        pass
"""


def as_another_user(number, link):
    """What a program of another user is answered at a link."""
    target = link.split(f":{number}", 1)[1]
    return subprocess.run(
        ["python3", "-c", ASKING, str(number), target], user=65534, group=65534, extra_groups=[], cwd="/",
        check=True, capture_output=True).stdout


def test_a_page_that_somebody_uses_has_all_its_scripts_before_it_may_be_cut_off(listening):
    tab, _ = listening
    page = ROOT / "Sources" / "UIKit" / "Page"
    # An editor's own stand in its frame.
    everything = {str(path.relative_to(page)) for path in page.rglob("*.js") if path.parent.name != "bridge"}

    def come():
        names = tab.page.evaluate("performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname)")
        return {name.removeprefix("/page/") for name in names if name.endswith(".js")}

    tab.page.mouse.move(40, 40)
    wait_for(lambda: everything <= come(), 60, lambda: f"{everything - come()} did not come")
