"""A scrapbook page takes pictures and text, and keeps both."""

import re

import pytest
from playwright.sync_api import expect

from keeping import is_kept
from pictures import png
from waiting import until


def text(tab):
    return tab.editor.get_by_role("textbox", name="Text")


def give_picture(tab, name="lake.png", data=None):
    tab.editor.locator("#file").set_input_files(
        {"name": name, "mimeType": "image/png", "buffer": data or png(120, 80)})


def picture(tab):
    return tab.editor.get_by_role("img", name="Picture of this page")


def test_a_picture_and_a_text_are_kept(scrapbook):
    scrapbook.create()
    give_picture(scrapbook)
    expect(picture(scrapbook)).to_be_visible()
    text(scrapbook).fill("The lake in the morning.")
    scrapbook.screenshot("editor")
    scrapbook.close_document()
    [title] = scrapbook.titles()
    scrapbook.open_document(title)
    expect(text(scrapbook)).to_have_value("The lake in the morning.")
    expect(picture(scrapbook)).to_be_visible()


def test_a_scrapbook_is_a_folder_on_disk_and_one_item_on_the_page(scrapbook):
    scrapbook.create()
    text(scrapbook).fill("One")
    scrapbook.close_document()
    [name] = scrapbook.app.names()
    assert (scrapbook.app.documents / name).is_dir()
    assert scrapbook.titles() == [name.removesuffix(".scrapbook")]


def test_undo_takes_back_the_picture_then_the_text(scrapbook):
    scrapbook.create()
    text(scrapbook).fill("Before")
    text(scrapbook).blur()
    give_picture(scrapbook)
    expect(picture(scrapbook)).to_be_visible()
    scrapbook.undo.click()
    expect(picture(scrapbook)).to_be_hidden()
    expect(text(scrapbook)).to_have_value("Before")
    scrapbook.undo.click()
    expect(text(scrapbook)).to_have_value("")
    scrapbook.redo.click()
    scrapbook.redo.click()
    expect(text(scrapbook)).to_have_value("Before")
    expect(picture(scrapbook)).to_be_visible()


def test_undo_while_typing_is_the_documents(scrapbook):
    scrapbook.create()
    text(scrapbook).press_sequentially("Hello")
    text(scrapbook).press("Control+z")
    expect(text(scrapbook)).to_have_value("")
    text(scrapbook).press("Control+Shift+z")
    expect(text(scrapbook)).to_have_value("Hello")


def test_redo_right_behind_undo_is_not_lost(scrapbook):
    """The page hears that there is something to do again a moment after it was undone."""
    scrapbook.create()
    text(scrapbook).press_sequentially("Hello")
    expect(scrapbook.page.get_by_role("button", name=re.compile("^Undo")).first).to_be_enabled()
    title = scrapbook.title.inner_text()
    scrapbook.done.focus()
    # In one go, so that nothing is heard in between.
    scrapbook.done.evaluate(
        """(button) => {
            for (const key of ['z', 'Z']) {
                button.dispatchEvent(new KeyboardEvent('keydown', {
                    key, ctrlKey: true, shiftKey: key === 'Z', bubbles: true, cancelable: true,
                }));
            }
        }""")
    scrapbook.close_document()
    assert (scrapbook.app.documents / f"{title}.scrapbook" / "text.txt").read_text() == "Hello"


def test_a_picture_is_removed(scrapbook):
    scrapbook.create()
    give_picture(scrapbook)
    scrapbook.editor.get_by_role("button", name="Remove").click()
    expect(scrapbook.editor.get_by_role("button", name="Choose a Picture")).to_be_visible()
    expect(picture(scrapbook)).to_be_hidden()


def test_what_is_no_picture_is_refused_with_a_reason(scrapbook):
    scrapbook.create()
    give_picture(scrapbook, name="notes.png", data=b"not a picture at all")
    expect(scrapbook.editor.get_by_role("alert")).to_contain_text(re.compile("neither a JPEG nor a PNG"))
    expect(picture(scrapbook)).to_be_hidden()


def test_a_twelve_megapixel_picture_is_kept(scrapbook):
    scrapbook.create()
    give_picture(scrapbook, data=png(4000, 3000))
    expect(picture(scrapbook)).to_be_visible()
    scrapbook.close_document()
    [title] = scrapbook.titles()
    scrapbook.open_document(title)
    expect(picture(scrapbook)).to_be_visible()
    assert picture(scrapbook).evaluate("image => image.naturalWidth") == 4000


def test_after_a_power_cut_the_autosaved_page_is_there(scrapbook, open_tab):
    scrapbook.create()
    give_picture(scrapbook)
    text(scrapbook).fill("Kept")
    text(scrapbook).blur()
    scrapbook.expect_saved()
    is_kept(scrapbook.app, lambda state: "activity" in state)
    scrapbook.page.close()
    scrapbook.app.kill()
    scrapbook.app.start()
    again = open_tab(scrapbook.app)
    again.expect_opened()
    expect(text(again)).to_have_value("Kept")
    expect(picture(again)).to_be_visible()


def test_typing_in_one_tab_leaves_the_caret_of_the_other(scrapbook, open_tab):
    scrapbook.create()
    text(scrapbook).fill("ab")
    title = scrapbook.title.inner_text()
    other = open_tab(scrapbook.app)
    other.open_document(title)
    expect(text(other)).to_have_value("ab")
    text(other).evaluate("field => { field.focus(); field.setSelectionRange(2, 2); }")
    text(scrapbook).press("Home")
    text(scrapbook).press_sequentially("12")
    expect(text(other)).to_have_value("12ab")
    assert text(other).evaluate("field => field.selectionStart") == 4


@pytest.fixture
def held_scrapbook(start_app, open_tab, held_line):
    """A tab, and the way of the app's messages to it."""
    return open_tab(start_app("Scrapbook"), context=held_line.context), held_line


def text_file(tab):
    return tab.app.documents / f"{tab.title.inner_text()}.scrapbook" / "text.txt"


def test_what_is_typed_while_a_text_from_elsewhere_arrives_is_what_both_hold(held_scrapbook):
    tab, line = held_scrapbook
    tab.create()
    text(tab).press_sequentially("Hello")
    tab.expect_saved()
    file = text_file(tab)
    line.hold(tab)
    file.write_text("Elsewhere")
    line.wait_for(tab, "Elsewhere")
    text(tab).press_sequentially("!")
    line.until(tab, lambda: "Hello!" in tab.on_disk())
    line.let_go()
    expect(text(tab)).to_have_value("Hello!")
    text(tab).press_sequentially("?")
    tab.expect_saved()


def test_a_text_from_elsewhere_that_was_typed_a_moment_ago_is_shown(held_scrapbook):
    """The app has both texts, and its answers are lost on the way."""
    tab, line = held_scrapbook
    tab.create()
    text(tab).press_sequentially("x")
    tab.expect_saved()
    file = text_file(tab)
    line.hold(tab)
    text(tab).press_sequentially("yz")
    line.until(tab, lambda: "xyz" in tab.on_disk())
    line.wait_for(tab, '"Saved"')
    file.write_text("xy")
    line.wait_for(tab, '"xy"')
    line.cut()
    expect(text(tab)).to_have_value("xy")


def test_undo_and_redo_right_behind_what_was_typed_end_with_it(scrapbook):
    scrapbook.create()
    text(scrapbook).press_sequentially("Hello")
    # In one go, so that nothing is heard in between.
    text(scrapbook).evaluate(
        """(field) => {
            field.value = 'Hello!';
            field.dispatchEvent(new Event('input'));
            for (const shiftKey of [false, true]) {
                field.dispatchEvent(new KeyboardEvent('keydown', {
                    key: shiftKey ? 'Z' : 'z', ctrlKey: true, shiftKey, bubbles: true, cancelable: true,
                }));
            }
        }""")
    expect(scrapbook.undo).to_be_enabled()
    expect(scrapbook.redo).to_be_disabled()
    until(lambda: "Hello!" in scrapbook.on_disk())
    expect(text(scrapbook)).to_have_value("Hello!")


def test_what_the_editor_is_still_at_is_saved_when_the_document_is_closed(scrapbook):
    scrapbook.create()
    # As a long text takes its time that is pasted.
    text(scrapbook).evaluate("""(field) => {
        setTimeout(() => {
            const end = performance.now() + 1000;
            while (performance.now() < end);
            field.value = "All of it";
            field.dispatchEvent(new Event("input"));
        });
    }""")
    scrapbook.close_document()
    [name] = scrapbook.app.names()
    until(lambda: (scrapbook.app.documents / name / "text.txt").exists())
    assert (scrapbook.app.documents / name / "text.txt").read_text() == "All of it"
