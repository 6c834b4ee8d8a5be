"""What the page's first screen costs: the bytes of script before anybody has touched it."""

import pytest
from playwright.sync_api import expect

BYTES_MAX = 100_000


@pytest.fixture
def loaded(start_app, open_tab):
    """A tab that nobody has touched, and the bytes of each script that it has asked for."""
    def fill(folder):
        (folder / "Ash.color").write_text("178,190,181\n")
        (folder / "Old").mkdir()

    app = start_app("Color", fill)
    context = open_tab(app).page.context  # it is let in from now on
    page = context.new_page()
    sizes = {}
    page.on("response", lambda answer: sizes.setdefault(answer.url.split("/page/")[-1], answer)
            if answer.request.resource_type == "script" else None)
    page.goto(app.link.split("?")[0], wait_until="networkidle")
    expect(page.get_by_role("option", name="Ash")).to_be_visible()
    return page, {name: len(answer.body()) for name, answer in sizes.items()}, app


def shows_documents(page):
    """Waits until the page could show one."""
    page.locator("scene-stage .frames").wait_for(state="attached")


def test_the_scripts_of_the_first_screen_are_small(loaded):
    _, sizes, _ = loaded
    assert {"main.js", "item-list/element.js", "store.js"} <= sizes.keys()
    listing = "\n".join(f"{size:7} {name}" for name, size in sorted(sizes.items()))
    assert sum(sizes.values()) <= BYTES_MAX, f"{sum(sizes.values())} bytes of script:\n{listing}"


def test_what_shows_documents_is_there_before_one_is_opened(loaded):
    page, sizes, _ = loaded
    later = {"app-dialog/dialogs.js", "scene-stage/element.js", "document-browser/menus.js", "document-browser/imports.js"}
    assert not later & sizes.keys()
    with page.expect_response("**/scene-stage/element.js"), page.expect_response("**/menus.js"), \
            page.expect_response("**/imports.js"):
        page.get_by_role("option", name="Ash").hover()
    shows_documents(page)
    page.get_by_role("option", name="Ash").dblclick()
    expect(page.get_by_role("button", name="Done", exact=True)).to_be_visible()


def test_a_part_that_cannot_be_had_is_said_and_had_later(loaded):
    page, _, _ = loaded
    page.route("**/action-menu/element.js", lambda route: route.abort())
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("region", name="Notices")).to_contain_text("Not connected")
    expect(page.get_by_role("menu")).to_be_hidden()
    page.unroute("**/action-menu/element.js")
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("menu", name="More")).to_be_visible()


def test_only_a_page_that_cannot_show_documents_begins_anew(loaded):
    page, _, app = loaded
    page.route("**/menus.js", lambda route: route.abort())
    with page.expect_event("requestfailed"):
        page.get_by_role("option", name="Ash").hover()
    shows_documents(page)
    page.evaluate("globalThis.isTheSame = true")
    page.unroute("**/menus.js")
    app.kill()
    offline = page.locator("connection-bar .connection")
    expect(offline).to_be_visible()
    app.start()
    expect(offline).to_be_hidden()
    # The menu has come, and so has the dialog that says of a name that it cannot be.
    page.get_by_role("button", name="More").click()
    expect(page.get_by_role("menu", name="More")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("option", name="Ash").click()
    page.keyboard.press("F2")
    page.keyboard.type("a/b")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alertdialog")).to_be_visible()
    assert page.evaluate("globalThis.isTheSame")
