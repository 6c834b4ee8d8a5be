"""What was entered is on disk, whatever happens to the process or the tab."""

import shutil
import signal

import pytest
from playwright.sync_api import expect

from pictures import noise, photograph
from color_editor import hex_field, set_hex
from keeping import is_kept
from waiting import until


def text(tab):
    return tab.editor.get_by_role("textbox", name="Text")


def picture(tab):
    return tab.editor.get_by_role("img", name="Picture of this page")


def give_picture(tab, name, kind, data):
    tab.editor.locator("#file").set_input_files({"name": name, "mimeType": kind, "buffer": data})
    expect(picture(tab)).to_be_visible()


def only(app):
    [name] = app.names()
    return app.documents / name


def test_a_colour_outlives_the_kill(color, open_tab):
    color.create()
    set_hex(color, "#102030")
    set_hex(color, "#405060")
    color.expect_saved()
    color.undo.click()
    expect(hex_field(color)).to_have_value("#102030")
    color.close_document()
    [title] = color.titles()
    color.open_document(title)
    set_hex(color, "#708090")
    color.expect_saved()
    is_kept(color.app, lambda state: "activity" in state)
    color.page.close()
    color.app.kill()
    assert only(color.app).read_text() == "112,128,144\n"
    color.app.start()
    again = open_tab(color.app)
    again.expect_opened()
    expect(hex_field(again)).to_have_value("#708090")


@pytest.mark.parametrize("kind", ["jpeg", "png"])
def test_a_twelve_megapixel_page_outlives_the_kill(scrapbook, open_tab, chromium, kind):
    data = photograph(chromium) if kind == "jpeg" else noise(4000, 3000)
    scrapbook.create()
    give_picture(scrapbook, f"large.{kind}", f"image/{kind}", data)
    text(scrapbook).fill("The first sentence.")
    text(scrapbook).blur()
    text(scrapbook).fill("Another one.")
    text(scrapbook).blur()
    scrapbook.expect_saved()
    scrapbook.undo.click()
    expect(text(scrapbook)).to_have_value("The first sentence.")
    scrapbook.close_document()
    [title] = scrapbook.titles()
    scrapbook.open_document(title)
    expect(picture(scrapbook)).to_be_visible()
    text(scrapbook).fill("The last sentence.")
    expect(scrapbook.undo).to_be_enabled()
    scrapbook.expect_saved()
    is_kept(scrapbook.app, lambda state: "activity" in state)
    scrapbook.page.close()
    scrapbook.app.kill()
    member = "image.jpg" if kind == "jpeg" else "image.png"
    assert (only(scrapbook.app) / member).read_bytes() == data
    scrapbook.app.start()
    again = open_tab(scrapbook.app)
    again.expect_opened()
    expect(text(again)).to_have_value("The last sentence.")
    expect(picture(again)).to_be_visible()
    assert picture(again).evaluate("image => image.decode().then(() => image.naturalWidth)") == 4000


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_saves_what_was_entered_a_moment_ago(color, number):
    color.create()
    file = only(color.app)
    set_hex(color, "#0a0b0c")
    expect(color.undo).to_be_enabled()
    assert color.app.end(number) == 0
    assert file.read_text() == "10,11,12\n"


def test_a_signal_saves_every_document_of_every_tab(scrapbook, open_tab):
    scrapbook.create()
    first = only(scrapbook.app)
    other = open_tab(scrapbook.app)
    other.create()
    [second] = set(scrapbook.app.names()) - {first.name}
    # In one go: that there is something to undo tells that all of it has arrived.
    text(scrapbook).fill("one")
    text(other).fill("two")
    for tab in (scrapbook, other):
        expect(tab.undo).to_be_enabled()
    assert scrapbook.app.end(signal.SIGTERM) == 0
    assert (first / "text.txt").read_text() == "one"
    assert (scrapbook.app.documents / second / "text.txt").read_text() == "two"


def test_closing_the_tab_at_the_last_keystroke_loses_nothing(scrapbook):
    scrapbook.create()
    file = only(scrapbook.app) / "text.txt"
    text(scrapbook).press_sequentially("The very last wor")
    text(scrapbook).press("d")
    scrapbook.page.close(run_before_unload=True)
    until(lambda: file.exists() and file.read_text() == "The very last word")


def test_a_document_that_cannot_be_saved_says_so_and_keeps_what_it_has(color):
    color.create()
    set_hex(color, "#010203")
    color.expect_saved()
    folder = color.app.documents
    # A folder that is renamed is followed; one that is gone is not.
    shutil.rmtree(folder)
    folder.write_text("in the way")
    set_hex(color, "#040506")
    color.done.click()
    dialog = color.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("could not be saved")
    color.screenshot("not-saved")
    dialog.get_by_role("button", name="OK").click()
    expect(hex_field(color)).to_have_value("#040506")
    folder.unlink()
    folder.mkdir()
    color.close_document()
    assert only(color.app).read_text() == "4,5,6\n"
