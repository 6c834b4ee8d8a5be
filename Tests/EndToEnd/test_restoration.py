"""An app that was killed comes back where the person was."""

import pytest
from playwright.sync_api import expect

from color_editor import hex_field, set_hex
from keeping import caret, is_kept, is_restoring, kept
from test_connection import bar
from test_durability import only, text
from waiting import until


def selection(tab):
    return text(tab).evaluate("field => [field.selectionStart, field.selectionEnd]")


def kill_and_start(*tabs):
    """Until a page has noticed the end it shows the old scene."""
    app = tabs[0].app
    app.kill()
    for tab in tabs:
        expect(bar(tab)).to_be_visible()
    app.start()
    for tab in tabs:
        expect(bar(tab)).to_be_hidden()


def test_a_scrapbook_comes_back_in_the_text_at_the_caret(scrapbook):
    scrapbook.create()
    text(scrapbook).press_sequentially("The sea, the sky")
    for _ in range(9):
        text(scrapbook).press("ArrowLeft")
    for _ in range(3):
        text(scrapbook).press("Shift+ArrowRight")
    scrapbook.expect_saved()
    is_kept(scrapbook.app, lambda state: caret(state) == [7, 10])
    kill_and_start(scrapbook)
    scrapbook.expect_opened()
    expect(text(scrapbook)).to_have_value("The sea, the sky")
    until(lambda: selection(scrapbook) == [7, 10])
    expect(text(scrapbook)).to_be_focused()
    text(scrapbook).press_sequentially("!")
    until(lambda: (only(scrapbook.app) / "text.txt").read_text() == "The sea!he sky")


def hold_frame_loads(tab):
    """Keeps it from the page that frames have loaded, until what this returns is called."""
    page = tab.page
    page.evaluate("""() => {
        window.held = [];
        HTMLIFrameElement.prototype.addEventListener = function (name, hear, ...rest) {
            const hold = (event) => held.push(() => hear.call(this, event));
            EventTarget.prototype.addEventListener.call(this, name, name === "load" ? hold : hear, ...rest);
        };
    }""")

    def tell():
        until(lambda: page.evaluate("() => held.length") > 0)
        page.evaluate("() => held.splice(0).forEach((hear) => hear())")
    return tell


def test_a_caret_placed_before_the_page_hears_that_the_editor_has_loaded_stays(scrapbook):
    scrapbook.create()
    text(scrapbook).press_sequentially("The sea")
    text(scrapbook).press("Home")
    scrapbook.expect_saved()
    is_kept(scrapbook.app, lambda state: caret(state) == [0, 0])
    tell = hold_frame_loads(scrapbook)
    kill_and_start(scrapbook)
    expect(text(scrapbook)).to_have_value("The sea")
    expect(text(scrapbook)).to_be_focused()
    tell()
    scrapbook.page.keyboard.type("See ")
    until(lambda: (only(scrapbook.app) / "text.txt").read_text() == "See The sea")


def test_the_keyboard_is_in_the_editor_again_after_a_question(scrapbook):
    scrapbook.create()
    text(scrapbook).click()
    scrapbook.page.evaluate("""async () => {
        const { openDialog } = await import("/page/app-dialog/dialogs.js");
        openDialog({ title: "Question", actions: [{ title: "Answer", style: "cancel" }] });
    }""")
    answer = scrapbook.page.get_by_role("button", name="Answer")
    expect(answer).to_be_focused()
    answer.press("Enter")
    until(lambda: text(scrapbook).evaluate("() => document.hasFocus()"))


def test_a_renamed_document_comes_back(color):
    color.create()
    set_hex(color, "#102030")
    file = only(color.app)
    until(lambda: file.read_text() == "16,32,48\n")
    is_kept(color.app, lambda state: "activity" in state)
    color.app.kill()
    expect(bar(color)).to_be_visible()
    (color.app.documents / "deep").mkdir()
    file.rename(color.app.documents / "deep" / "Sea.color")
    color.app.start()
    expect(bar(color)).to_be_hidden()
    color.expect_opened()
    expect(color.title).to_have_text("Sea")
    expect(hex_field(color)).to_have_value("#102030")


def test_a_deleted_document_does_not_come_back(color):
    color.create()
    color.expect_saved()
    is_kept(color.app, lambda state: "activity" in state)
    color.app.kill()
    only(color.app).unlink()
    color.app.start()
    expect(color.done).to_be_hidden()
    expect(color.toolbar).to_be_visible()


def test_what_the_app_ended_over_does_not_come_back(color):
    color.create()
    color.expect_saved()
    is_kept(color.app, lambda state: "activity" in state)
    color.app.kill()
    expect(bar(color)).to_be_visible()
    for _ in range(20):
        color.app.start()
        until(lambda: is_restoring(color.app) or bar(color).is_hidden())
        color.app.kill()
        expect(bar(color)).to_be_visible()
        # Where it had come back before it was killed, it comes back again.
        if is_restoring(color.app):
            break
    assert is_restoring(color.app)
    color.app.start()
    expect(bar(color)).to_be_hidden()
    expect(color.toolbar).to_be_visible()
    expect(color.done).to_be_hidden()


def test_the_browser_comes_back_in_the_folder(start_app, open_tab):
    def prepare(folder):
        (folder / "Trips" / "Summer").mkdir(parents=True)
    tab = open_tab(start_app("Color", prepare))
    for name in ("Trips", "Summer"):
        tab.item(name).dblclick()
        expect(tab.title).to_have_text(name)
    is_kept(tab.app, lambda state: state.get("folder") == "Trips/Summer")
    kill_and_start(tab)
    expect(tab.title).to_have_text("Summer")
    tab.create()
    # Beside it is what the app saves it with, for a moment.
    inside = [file.name for file in (tab.app.documents / "Trips" / "Summer").iterdir()]
    assert [name for name in inside if not name.startswith(".")] == ["Color.color"]


@pytest.mark.parametrize("name", ["Color", "Scrapbook"])
def test_a_document_comes_back_in_its_folder(start_app, open_tab, name):
    tab = open_tab(start_app(name, lambda folder: (folder / "Trips").mkdir()))
    tab.item("Trips").dblclick()
    expect(tab.title).to_have_text("Trips")
    tab.create()
    tab.expect_saved()
    is_kept(tab.app, lambda state: "activity" in state and state.get("folder") == "Trips")
    kill_and_start(tab)
    tab.expect_opened()
    expect(tab.title).to_have_text(name)
    # Behind the document is the folder that the person was in, and not where the browser begins.
    tab.close_document()
    expect(tab.title).to_have_text("Trips")
    assert tab.titles() == [name]


def test_two_tabs_come_back_each_in_its_document(color, open_tab):
    color.create()
    set_hex(color, "#010203")
    color.expect_saved()
    other = open_tab(color.app)
    expect(other.toolbar).to_be_visible()
    other.create()
    set_hex(other, "#040506")
    other.expect_saved()
    until(lambda: sum("activity" in state for state in kept(color.app)) == 2)
    kill_and_start(color, other)
    for tab, value in ((color, "#010203"), (other, "#040506")):
        tab.expect_opened()
        expect(hex_field(tab)).to_have_value(value)


def test_a_first_new_tab_shows_what_was_shown_last(color, open_tab):
    color.create()
    set_hex(color, "#0a0b0c")
    color.expect_saved()
    is_kept(color.app, lambda state: "activity" in state)
    color.page.close()
    color.app.kill()
    color.app.start()
    again = open_tab(color.app)
    again.expect_opened()
    expect(hex_field(again)).to_have_value("#0a0b0c")
    second = open_tab(color.app)
    expect(second.toolbar).to_be_visible()
    expect(second.done).to_be_hidden()


def test_a_reloaded_tab_comes_back_although_the_app_was_killed(color):
    color.create()
    set_hex(color, "#0a0b0c")
    color.expect_saved()
    is_kept(color.app, lambda state: "activity" in state)
    color.app.kill()
    color.page.goto("about:blank")
    color.app.start()
    color.page.go_back()
    color.expect_opened()
    expect(hex_field(color)).to_have_value("#0a0b0c")


def test_an_ended_app_comes_back_too(scrapbook):
    scrapbook.create()
    # In one go: that there is something to undo tells that all of it has arrived.
    text(scrapbook).fill("Waves")
    expect(scrapbook.undo).to_be_enabled()
    assert scrapbook.app.end(15) == 0
    expect(bar(scrapbook)).to_be_visible()
    scrapbook.app.start()
    expect(bar(scrapbook)).to_be_hidden()
    scrapbook.expect_opened()
    expect(text(scrapbook)).to_have_value("Waves")
