"""Shells and other programs work in the same folder."""

import os
import shutil

import pytest
from playwright.sync_api import expect

from color_editor import hex_field, set_hex
from conftest import BINARIES
from keeping import is_kept
from pictures import png
from scripted_process import ScriptedProcess
from waiting import until


def opened(tab, name, content):
    """A document put there by a shell, and opened."""
    file = tab.app.documents / f"{name}.color"
    file.write_text(content)
    tab.item(name).wait_for()
    tab.open_document(name)
    return file


def state(tab):
    return tab.page.locator("document-view.is-front .state-line")


def test_what_a_shell_writes_is_shown(color):
    file = opened(color, "Shared", "1,2,3\n")
    expect(hex_field(color)).to_have_value("#010203")
    file.write_text("4,5,6\n")
    expect(hex_field(color)).to_have_value("#040506")
    other = color.app.documents.parent / "new.color"
    other.write_text("7,8,9\n")
    os.replace(other, file)
    expect(hex_field(color)).to_have_value("#070809")


def test_a_document_renamed_in_a_shell_is_followed(color):
    file = opened(color, "Before", "1,2,3\n")
    after = file.rename(file.with_name("After.color"))
    expect(color.title).to_have_text("After")
    set_hex(color, "#a0a0a0")
    until(lambda: after.read_text() == "160,160,160\n")
    color.screenshot("renamed-by-a-shell")
    color.close_document()
    color.item("After").wait_for()
    assert color.app.names() == ["After.color"]


def test_an_edit_right_after_a_renaming_does_not_bring_the_old_name_back(color):
    file = opened(color, "Before", "1,2,3\n")
    after = file.rename(file.with_name("After.color"))
    set_hex(color, "#b0b0b0")
    until(lambda: after.read_text() == "176,176,176\n")
    color.close_document()
    assert color.app.names() == ["After.color"]


def test_a_deleted_document_says_so_and_is_saved_again_when_asked(color):
    file = opened(color, "Short", "1,2,3\n")
    file.unlink()
    expect(state(color)).to_have_text("Deleted")
    state(color).get_by_role("button").click()
    dialog = color.page.get_by_role("dialog", name="Deleted")
    color.screenshot("deleted-by-a-shell")
    dialog.get_by_role("button", name="Save Again").click()
    until(file.exists)
    assert file.read_text() == "1,2,3\n"
    expect(state(color)).to_have_text("Saved")


def opened_scrapbook(tab, text):
    """A scrapbook with a text, open in a tab, and the field that the text is in."""
    package = tab.app.documents / "Trip.scrapbook"
    package.mkdir()
    (package / "text.txt").write_text(text)
    tab.item("Trip").wait_for()
    tab.open_document("Trip")
    field = tab.editor.get_by_role("textbox", name="Text")
    expect(field).to_have_value(text)
    return package, field


def deleted_by_another_app(item, agent, tmp_path):
    other = ScriptedProcess(BINARIES, agent.environment, tmp_path / "errors")
    try:
        other.tell("begin d delete", item).hears("d granted")
        other.does("d", "remove", item).ends("d")
    finally:
        other.kill()


def test_a_document_that_another_app_deleted_takes_no_edits_until_it_is_saved_again(
        agent, start_app, open_tab, tmp_path):
    tab = open_tab(start_app("Color", environment=agent.environment))
    file = opened(tab, "Short", "1,2,3\n")
    deleted_by_another_app(file, agent, tmp_path)
    expect(state(tab)).to_have_text("Deleted")
    expect(hex_field(tab)).to_be_disabled()
    expect(hex_field(tab)).to_have_value("#010203")
    tab.page.reload()
    expect(hex_field(tab)).to_have_value("#010203")
    expect(hex_field(tab)).to_be_disabled()
    state(tab).get_by_role("button").click()
    tab.page.get_by_role("dialog", name="Deleted").get_by_role("button", name="Save Again").click()
    until(file.exists)
    assert file.read_text() == "1,2,3\n"
    expect(state(tab)).to_have_text("Saved")
    set_hex(tab, "#a0a0a0")
    until(lambda: file.read_text() == "160,160,160\n")


def test_what_another_app_deleted_is_still_in_view_in_a_tab_that_is_reloaded(
        agent, start_app, open_tab, tmp_path):
    tab = open_tab(start_app("Scrapbook", environment=agent.environment))
    package, field = opened_scrapbook(tab, "one two")
    deleted_by_another_app(package, agent, tmp_path)
    expect(state(tab)).to_have_text("Deleted")
    tab.page.reload()
    expect(field).to_have_value("one two")
    expect(field).not_to_be_editable()
    state(tab).get_by_role("button").click()
    tab.page.get_by_role("dialog", name="Deleted").get_by_role("button", name="Save Again").click()
    until(lambda: package.exists() and (package / "text.txt").read_text() == "one two")
    expect(field).to_be_editable()


def test_a_caret_stays_in_its_place_when_a_shell_writes_above_it(scrapbook):
    package, field = opened_scrapbook(scrapbook, "one two")
    field.evaluate("field => { field.focus(); field.setSelectionRange(3, 3); }")
    (package / "text.txt").write_text("zero one two")
    expect(field).to_have_value("zero one two")
    assert field.evaluate("field => field.selectionStart") == len("zero one")


def test_a_text_edited_here_and_by_a_shell_is_merged_without_asking(agent, start_app, open_tab):
    scrapbook = open_tab(start_app("Scrapbook", environment=agent.environment))
    package, field = opened_scrapbook(scrapbook, "one\ntwo\nthree\n")
    with agent.reading(package):
        field.fill("ONE\ntwo\nthree\n")
        expect(state(scrapbook)).to_have_text("Saving…")
        (package / "text.txt").write_text("one\ntwo\nTHREE\n")
    expect(field).to_have_value("ONE\ntwo\nTHREE\n")
    until(lambda: (package / "text.txt").read_text() == "ONE\ntwo\nTHREE\n")
    expect(state(scrapbook)).to_have_text("Saved")
    assert scrapbook.app.names() == ["Trip.scrapbook"]


def test_the_list_follows_what_a_shell_does(color):
    file = color.app.documents / "One.color"
    file.write_text("1,2,3\n")
    color.item("One").wait_for()
    file.rename(file.with_name("Two.color"))
    color.item("Two").wait_for()
    expect(color.item("One")).to_have_count(0)
    file.with_name("Two.color").unlink()
    expect(color.item("Two")).to_have_count(0)


def test_a_document_that_a_shell_deleted_does_not_come_back_by_itself(color):
    file = opened(color, "Short", "1,2,3\n")
    file.unlink()
    color.close_document()
    expect(color.item("Short")).to_have_count(0)
    assert color.app.names() == []


def test_a_document_deleted_with_unsaved_changes_is_written_again(color):
    file = opened(color, "Dear", "1,2,3\n")
    for red in range(192, 208):
        set_hex(color, f"#{red:02x}c0c0")
        # It stands still before it saves that by itself; where it has been as quick as that, there is another edit.
        with color.app.stopped():
            is_saved = file.read_text() == f"{red},192,192\n"
            if not is_saved:
                file.unlink()
        if not is_saved:
            break
    assert not is_saved
    color.close_document()
    assert file.read_text() == f"{red},192,192\n"


@pytest.fixture
def in_conflict(agent, start_app, open_tab):
    """A document that was changed here and by a shell, and the dialog that asks which it is to be."""
    color = open_tab(start_app("Color", environment=agent.environment))
    file = opened(color, "Two", "1,2,3\n")
    with agent.reading(file):
        set_hex(color, "#d0d0d0")
        expect(state(color)).to_have_text("Saving…")
        file.write_text("9,9,9\n")
    expect(state(color)).to_have_text("Two versions")
    until(lambda: file.read_text() == "208,208,208\n")
    assert color.app.names() == ["Two.color"]
    return color, file, chooser(color)


def chooser(color):
    state(color).get_by_role("button").click()
    return color.page.get_by_role("dialog", name="Which “Two” is it to be?")


def test_of_two_versions_the_document_can_be_kept(in_conflict):
    color, file, dialog = in_conflict
    expect(dialog.get_by_role("region", name="This document")).to_contain_text("208,208,208")
    expect(dialog).to_contain_text("9,9,9")
    color.screenshot("conflict-detail")
    dialog.get_by_role("button", name="Decide Later").click()
    expect(state(color)).to_have_text("Two versions")
    color.screenshot("conflict")
    chooser(color).get_by_role("button", name="Keep This One").click()
    expect(state(color)).to_have_text("Saved")
    assert file.read_text() == "208,208,208\n"
    assert color.app.names() == ["Two.color"]


def test_of_two_versions_the_other_can_be_taken(in_conflict):
    color, file, dialog = in_conflict
    dialog.get_by_role("button", name="Take This One").click()
    expect(hex_field(color)).to_have_value("#090909")
    until(lambda: file.read_text() == "9,9,9\n")
    expect(state(color)).to_have_text("Saved")
    set_hex(color, "#0a0a0a")
    until(lambda: file.read_text() == "10,10,10\n")


def test_taking_the_other_version_can_be_undone(in_conflict):
    color, file, dialog = in_conflict
    dialog.get_by_role("button", name="Take This One").click()
    expect(hex_field(color)).to_have_value("#090909")
    color.undo.click()
    expect(hex_field(color)).to_have_value("#d0d0d0")
    until(lambda: file.read_text() == "208,208,208\n")
    expect(state(color)).to_have_text("Saved")


def test_of_two_versions_both_can_be_kept(in_conflict):
    color, file, dialog = in_conflict
    dialog.get_by_role("button", name="Keep Both").click()
    expect(state(color)).to_have_text("Saved")
    until(lambda: len(color.app.names()) == 2)
    [copy] = [name for name in color.app.names() if "other version" in name]
    assert (color.app.documents / copy).read_text() == "9,9,9\n"
    assert file.read_text() == "208,208,208\n"


def test_two_pictures_in_conflict_are_seen_side_by_side(agent, start_app, open_tab):
    scrapbook = open_tab(start_app("Scrapbook", environment=agent.environment))
    package = scrapbook.app.documents / "Trip.scrapbook"
    package.mkdir()
    (package / "image.png").write_bytes(png(60, 40))
    scrapbook.item("Trip").wait_for()
    scrapbook.open_document("Trip")
    with agent.reading(package):
        scrapbook.editor.locator("#file").set_input_files(
            {"name": "lake.png", "mimeType": "image/png", "buffer": png(120, 80)})
        expect(state(scrapbook)).to_have_text("Saving…")
        (package / "image.png").write_bytes(png(90, 30))
    expect(state(scrapbook)).to_have_text("Two versions")
    state(scrapbook).get_by_role("button").click()
    dialog = scrapbook.page.get_by_role("dialog", name="Which “Trip” is it to be?")
    shown = dialog.get_by_role("img", name="Picture")
    expect(shown.nth(1)).to_be_visible()
    sizes = shown.evaluate_all(
        "pictures => Promise.all(pictures.map(async (each) => { await each.decode(); return each.naturalWidth; }))")
    assert {120, 90} <= set(sizes)
    scrapbook.screenshot("conflict-pictures")


def test_a_conflict_outlives_the_program_that_saw_it(in_conflict):
    color, file, dialog = in_conflict
    dialog.get_by_role("button", name="Decide Later").click()
    is_kept(color.app, lambda state: "activity" in state)
    color.app.kill()
    color.app.start()
    color.page.goto(color.app.link)
    expect(state(color)).to_have_text("Two versions")
    chooser(color).get_by_role("button", name="Take This One").click()
    expect(hex_field(color)).to_have_value("#090909")
    until(lambda: file.read_text() == "9,9,9\n")


def test_bad_text_is_a_message_and_not_a_crash(color):
    (color.app.documents / "Broken.color").write_text("this is no colour\n")
    color.item("Broken").dblclick()
    dialog = color.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("“Broken” cannot be opened")
    expect(dialog).to_contain_text("this is no colour")
    color.screenshot("error")
    dialog.get_by_role("button", name="OK").click()
    expect(color.done).to_be_hidden()
    expect(color.item("Broken")).to_be_focused()
    color.create()


def test_a_plain_file_is_no_scrapbook_and_says_so(scrapbook):
    (scrapbook.app.documents / "File.scrapbook").write_text("plain")
    scrapbook.item("File").dblclick()
    dialog = scrapbook.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("plain file")
    dialog.get_by_role("button", name="OK").click()
    expect(scrapbook.done).to_be_hidden()


@pytest.mark.parametrize("name", ["text.txt", "image.png"])
@pytest.mark.parametrize("kind", ["folder", "link"])
def test_a_member_of_another_kind_is_a_message_and_not_a_crash(scrapbook, name, kind):
    member = scrapbook.app.documents / "Odd.scrapbook" / name
    member.parent.mkdir()
    if kind == "folder":
        member.mkdir()
        (member / "inner.txt").write_text("kept")
    else:
        member.symlink_to("elsewhere")
    scrapbook.item("Odd").dblclick()
    dialog = scrapbook.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text(name)
    dialog.get_by_role("button", name="OK").click()
    expect(scrapbook.done).to_be_hidden()
    assert member.is_symlink() or (member / "inner.txt").read_text() == "kept"


def test_bad_text_written_into_an_open_document_keeps_what_was_read(color):
    file = opened(color, "Was Good", "1,2,3\n")
    file.write_text("nonsense")
    expect(state(color)).not_to_have_text("Saved")
    expect(hex_field(color)).to_have_value("#010203")
    file.write_text("5,5,5\n")
    expect(hex_field(color)).to_have_value("#050505")


def test_a_member_of_an_open_package_is_written_by_a_shell(scrapbook):
    package, field = opened_scrapbook(scrapbook, "before")
    (package / "text.txt").write_text("after")
    expect(field).to_have_value("after")


def test_names_that_clash_get_a_number(color):
    names = []
    for _ in range(3):
        color.create()
        color.close_document()
        names = color.app.names()
    assert names == ["Color 2.color", "Color 3.color", "Color.color"]


def test_an_import_whose_name_is_taken_gets_a_number(color, tmp_path):
    (color.app.documents / "Same.color").write_text("1,1,1\n")
    color.item("Same").wait_for()
    source = tmp_path / "Same.color"
    source.write_text("2,2,2\n")
    with color.page.expect_file_chooser() as chooser:
        color.toolbar.get_by_role("button", name="Import", exact=True).click()
    chooser.value.set_files(source)
    color.item("Same 2").wait_for()
    assert (color.app.documents / "Same.color").read_text() == "1,1,1\n"
    assert (color.app.documents / "Same 2.color").read_text() == "2,2,2\n"


def drag(tab, path):
    """Drops a file or folder of this machine onto the list, as a file manager would."""
    box = tab.page.locator("document-browser").bounding_box()
    place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    session = tab.page.context.new_cdp_session(tab.page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **place, "data": data})
    session.detach()


def test_a_dropped_package_is_imported_as_one_document(scrapbook, tmp_path):
    source = tmp_path / "From Afar.scrapbook"
    source.mkdir()
    (source / "text.txt").write_text("from afar")
    (source / "inner").mkdir()
    (source / "inner" / "more.txt").write_text("kept")
    drag(scrapbook, source)
    scrapbook.item("From Afar").wait_for()
    expect(scrapbook.page.locator(".item .item-title")).to_have_text(["From Afar"])
    assert (scrapbook.app.documents / "From Afar.scrapbook" / "inner" / "more.txt").read_text() == "kept"
    shutil.rmtree(source)
    scrapbook.open_document("From Afar")
    expect(scrapbook.editor.get_by_role("textbox", name="Text")).to_have_value("from afar")
