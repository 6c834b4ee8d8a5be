"""A colour is made, changed, taken back, and still there after everything that can happen."""

import itertools
import shutil

import pytest
from playwright.sync_api import expect

from color_editor import hex_field, set_hex
from keeping import is_kept


def test_a_new_colour_is_edited_undone_and_redone(color):
    color.create()
    before = hex_field(color).input_value()
    set_hex(color, "#1e90ff")
    expect(color.editor.locator("#name")).to_have_text("Dodger Blue")
    color.screenshot("editor")
    color.undo.click()
    expect(hex_field(color)).to_have_value(before)
    color.redo.click()
    expect(hex_field(color)).to_have_value("#1e90ff")


@pytest.fixture
def held_color(start_app, open_tab, held_line):
    """A tab, and the way of the app's messages to it."""
    return open_tab(start_app("Color"), context=held_line.context), held_line


def number(tab, channel):
    return tab.editor.get_by_role("spinbutton", name=f"{channel}, 0 to 255")


def test_channels_changed_one_right_behind_the_other_stay_as_they_were_entered(held_color):
    tab, line = held_color
    tab.create()
    set_hex(tab, "#010203")
    tab.expect_saved()
    code = tab.editor.locator("#code")
    code.evaluate(
        """(code) => {
            window.codes = [];
            new MutationObserver(() => codes.push(code.textContent)).observe(code, { childList: true });
        }""")
    line.hold(tab)
    for channel, value in (("Red", "16"), ("Green", "32")):
        number(tab, channel).fill(value)
        number(tab, channel).press("Tab")
    line.until(tab, lambda: "16,32,3\n" in tab.on_disk())
    line.let_go()
    tab.undo.click()
    expect(code).to_have_text("#100203")
    # The same code again is no other.
    codes = [text for text, _ in itertools.groupby(code.evaluate("() => codes"))]
    assert codes == ["#100203", "#102003", "#100203"]


def test_a_colour_from_elsewhere_is_shown_though_answers_to_changes_are_lost(held_color):
    tab, line = held_color
    tab.create()
    set_hex(tab, "#010203")
    tab.expect_saved()
    file = tab.app.documents / f"{tab.title.inner_text()}.color"
    line.hold(tab)
    number(tab, "Red").fill("16")
    line.until(tab, lambda: "16,2,3\n" in tab.on_disk())
    line.wait_for(tab, '"Saved"')
    file.write_text("7,8,9\n")
    line.wait_for(tab, "show(color)")
    line.cut()
    expect(hex_field(tab)).to_have_value("#070809")


def test_undo_keys_inside_the_editor_are_the_documents(color):
    color.create()
    before = hex_field(color).input_value()
    set_hex(color, "#a0522d")
    hex_field(color).press("Control+z")
    expect(color.editor.locator("#code")).to_have_text(before)
    color.editor.get_by_label("Red", exact=True).press("Control+Shift+z")
    expect(color.editor.locator("#code")).to_have_text("#a0522d")


def test_one_drag_of_a_slider_is_one_step_of_undoing(color):
    color.create()
    set_hex(color, "#000000")
    slider = color.editor.get_by_label("Red", exact=True)
    box = slider.bounding_box()
    mouse = color.page.mouse
    middle = box["y"] + box["height"] / 2
    mouse.move(box["x"] + 14, middle)
    mouse.down()
    for share in (0.2, 0.4, 0.6, 0.8):
        mouse.move(box["x"] + box["width"] * share, middle)
    mouse.up()
    expect(slider).not_to_have_value("0")
    color.page.keyboard.press("Control+z")
    expect(color.editor.locator("#code")).to_have_text("#000000")


def test_a_wrong_hex_code_says_so_and_changes_nothing(color):
    color.create()
    before = color.editor.locator("#code").inner_text()
    hex_field(color).fill("#12")
    hex_field(color).press("Enter")
    expect(color.editor.get_by_role("alert")).to_contain_text("Three or six digits")
    expect(color.editor.locator("#code")).to_have_text(before)


def test_a_closed_colour_opens_as_it_was(color):
    color.create()
    set_hex(color, "#708090")
    color.close_document()
    [title] = color.titles()
    color.open_document(title)
    expect(hex_field(color)).to_have_value("#708090")


def test_the_list_says_which_colour_is_open(color, open_tab):
    color.create()
    set_hex(color, "#0a0b0c")
    color.expect_saved()
    other = open_tab(color.app)
    expect(other.item("Color")).to_contain_text("open")
    color.close_document()
    for tab in (color, other):
        expect(tab.item("Color")).not_to_contain_text("open")


def test_after_a_power_cut_the_autosaved_colour_is_there(color, open_tab):
    color.create()
    set_hex(color, "#ff6347")
    color.expect_saved()
    is_kept(color.app, lambda state: "activity" in state)
    color.app.kill()
    expect(color.page.locator("connection-bar .connection")).to_be_visible()
    color.page.close()
    color.app.start()
    again = open_tab(color.app)
    again.expect_opened()
    expect(hex_field(again)).to_have_value("#ff6347")


def test_two_tabs_on_one_colour_stay_in_step(color, open_tab):
    color.create()
    set_hex(color, "#123456")
    title = color.title.inner_text()
    other = open_tab(color.app)
    other.open_document(title)
    expect(hex_field(other)).to_have_value("#123456")
    set_hex(other, "#abcdef")
    expect(hex_field(color)).to_have_value("#abcdef")
    color.undo.click()
    expect(hex_field(other)).to_have_value("#123456")


def test_a_change_from_outside_is_shown_in_the_open_editor(color):
    color.create()
    set_hex(color, "#112233")
    color.close_document()
    [first] = color.app.names()
    folder = color.app.documents
    shutil.copy(folder / first, folder / f"Kept.{color.app.extension}")
    color.item(first.removesuffix(f".{color.app.extension}")).wait_for()
    color.open_document(first.removesuffix(f".{color.app.extension}"))
    set_hex(color, "#445566")
    color.expect_saved()
    shutil.copy(folder / f"Kept.{color.app.extension}", folder / first)
    expect(hex_field(color)).to_have_value("#112233")


def test_an_open_colour_is_renamed_from_its_title(color):
    color.create()
    color.title.get_by_role("button").click()
    field = color.page.get_by_role("textbox", name="New name")
    field.fill("Sea")
    field.press("Enter")
    expect(color.title).to_have_text("Sea")
    set_hex(color, "#2e8b57")
    color.expect_saved()
    assert color.app.names() == ["Sea.color"]
