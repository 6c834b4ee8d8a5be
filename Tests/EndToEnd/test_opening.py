"""Documents that come from outside: on the command line, and from a second start."""

import re

import pytest
from playwright.sync_api import expect

from waiting import until


def put(folder, name, color):
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(color)
    return file


def expect_shown(tab, title, code):
    expect(tab.title).to_have_text(title)
    expect(tab.editor.locator("#code")).to_have_text(code)


def test_a_file_given_at_the_start_is_what_the_first_tab_shows(start_app, open_tab, tmp_path):
    file = put(tmp_path / "elsewhere", "Sea.color", "1,2,3\n")
    app = start_app("Color", files=[file])
    tab = open_tab(app)
    tab.expect_opened()
    expect_shown(tab, "Sea", "#010203")
    # It is opened where it is.
    field = tab.editor.get_by_label("Hex")
    field.fill("#040506")
    field.press("Enter")
    tab.close_document()
    assert file.read_text() == "4,5,6\n"
    assert app.names() == []


def test_a_second_start_hands_its_file_to_the_tab_in_front(start_app, open_tab, tmp_path):
    first = put(tmp_path / "elsewhere", "Sea.color", "1,2,3\n")
    second = put(tmp_path / "elsewhere", "Sky.color", "4,5,6\n")
    app = start_app("Color", files=[first])
    tab = open_tab(app)
    tab.expect_opened()
    said = app.open(second)
    # A link to the same page, of its own.
    link = re.search(r"runs already: (\S+)", said)[1]
    assert link != app.link and link.split("?")[0] == app.link.split("?")[0]
    expect_shown(tab, "Sky", "#040506")
    tab.close_document()
    # What was handed over while nobody looked is for the next tab.
    tab.page.close()
    app.open(first)
    expect_shown(open_tab(app), "Sea", "#010203")


def test_a_package_is_opened(start_app, open_tab, tmp_path):
    app = start_app("Scrapbook")
    tab = open_tab(app)
    tab.create()
    tab.close_document()
    name = app.names()[0]
    tab.page.close()
    app.open(app.documents / name)
    other = open_tab(app)
    other.expect_opened()
    expect(other.title).to_have_text(name.removesuffix(".scrapbook"))


@pytest.mark.parametrize("name", ["Color", "Scrapbook"])
def test_nothing_can_be_entered_before_the_editor_takes_it(start_app, open_tab, name):
    tab = open_tab(start_app(name))
    parts, held = re.compile(r"/web/.*/editor\.(css|js)$"), []
    tab.page.route(parts, lambda route: held.append(route), times=2)
    tab.page.get_by_role("button", name=f"New {name}").first.click()
    # What has been asked for is taken in while the tab is asked something.
    until(lambda: tab.page.evaluate("true") and len(held) == 2)
    field = tab.editor.locator("#hex, #text")
    expect(field).to_be_attached()
    assert field.evaluate("field => field.readOnly || field.closest('[hidden]') !== null")
    for route in held:
        route.continue_()
    tab.expect_opened()
