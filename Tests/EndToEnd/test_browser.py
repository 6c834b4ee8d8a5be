"""The document browser: everything one does with documents and folders, and what others do to them."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from waiting import until


def fill(folder):
    """Three colours and a folder."""
    for name, content in (("Ash", "178,190,181"), ("Brick", "203,65,84"), ("Clay", "182,106,80")):
        (folder / f"{name}.color").write_text(content + "\n")
    (folder / "Old").mkdir()


@pytest.fixture
def filled(start_app, open_tab):
    """A tab on a folder with three colours and a folder."""
    tab = open_tab(start_app("Color", fill))
    tab.item("Clay").wait_for()
    return tab


def test_an_empty_folder_shows_something_to_do(color):
    expect(color.page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    expect(color.page.get_by_role("button", name="Import").last).to_be_visible()
    color.screenshot("empty")


def test_a_document_is_renamed_in_place_with_its_extension_kept(filled):
    filled.item("Ash").click()
    filled.page.keyboard.press("F2")
    field = filled.page.get_by_role("textbox", name="New name")
    expect(field).to_have_value("Ash")
    field.fill("Ember")
    field.press("Enter")
    filled.item("Ember").wait_for()
    expect(filled.item("Ember")).to_be_focused()
    expect(filled.item("Ash")).to_have_count(0)
    # The list shows the new name at once; the folder has it when the app has renamed the file.
    until(lambda: "Ember.color" in filled.app.names())
    assert "Ash.color" not in filled.app.names()


def test_a_name_that_is_taken_is_refused_with_the_reason(filled):
    filled.choose_from_menu("Ash", "Rename")
    field = filled.page.get_by_role("textbox", name="New name")
    field.fill("Brick")
    field.press("Enter")
    dialog = filled.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("Brick")
    dialog.get_by_role("button", name="OK").click()
    filled.item("Ash").wait_for()
    assert "Ash.color" in filled.app.names()


def test_a_document_is_duplicated_and_the_copy_chosen(filled):
    filled.choose_from_menu("Ash", "Duplicate")
    expect(filled.page.locator(".item")).to_have_count(5)
    copy = filled.page.locator(".item[aria-selected='true']")
    expect(copy).to_have_count(1)
    expect(copy).to_contain_text("Ash")
    assert len(filled.app.names()) == 5


def test_the_trash_is_undone_from_the_notice(filled):
    filled.item("Ash").click()
    filled.page.keyboard.press("Delete")
    expect(filled.item("Ash")).to_have_count(0)
    notice = filled.page.get_by_role("region", name="Notices")
    expect(notice).to_contain_text("moved to the trash")
    filled.screenshot("trashed")
    assert "Ash.color" not in filled.app.names()
    notice.get_by_role("button", name="Undo").click()
    filled.item("Ash").wait_for()
    assert "Ash.color" in filled.app.names()


def test_the_notice_of_the_trash_undoes_nothing_else(filled):
    filled.item("Ash").click()
    filled.page.keyboard.press("Delete")
    notice = filled.page.get_by_role("region", name="Notices")
    expect(notice).to_contain_text("moved to the trash")
    filled.choose_from_menu("Brick", "Duplicate")
    expect(filled.page.locator(".item")).to_have_count(4)
    notice.get_by_role("button", name="Undo").click()
    expect(filled.page.get_by_role("alertdialog")).to_contain_text("Something else has been done since")
    assert len(filled.app.names()) == 4 and "Ash.color" not in filled.app.names()


def test_undo_and_redo_by_keys(filled):
    filled.item("Brick").click()
    filled.page.keyboard.press("Delete")
    expect(filled.toolbar.get_by_role("button", name=re.compile("^Undo"))).to_be_enabled()
    filled.page.keyboard.press("Control+z")
    filled.item("Brick").wait_for()
    filled.page.keyboard.press("Control+Shift+z")
    expect(filled.item("Brick")).to_have_count(0)


def test_a_change_from_outside_leaves_selection_and_focus(filled):
    filled.item("Brick").click()
    (filled.app.documents / "Brand New.txt").write_text("from a shell")
    filled.item("Brand New.txt").wait_for()
    expect(filled.item("Brick")).to_be_focused()
    expect(filled.item("Brick")).to_have_attribute("aria-selected", "true")
    (filled.app.documents / "Ash.color").unlink()
    expect(filled.item("Ash")).to_have_count(0)
    expect(filled.item("Brick")).to_be_focused()


def test_folders_are_made_entered_and_left(filled):
    filled.toolbar.get_by_role("button", name="New Folder").click()
    field = filled.page.get_by_role("textbox", name="New name")
    field.fill("Autumn")
    field.press("Enter")
    filled.item("Autumn").wait_for()
    filled.item("Autumn").dblclick()
    expect(filled.title).to_have_text("Autumn")
    expect(filled.page.get_by_role("heading", name="Nothing here yet")).to_be_visible()
    filled.page.keyboard.press("Alt+ArrowUp")
    filled.item("Autumn").wait_for()
    expect(filled.item("Autumn")).to_be_focused()


def test_what_is_done_to_an_item_waits_for_its_new_name(filled):
    """The new name is shown before the process has given it; who is quick means the item all the same."""
    filled.item("Old").click()
    filled.page.keyboard.press("F2")
    field = filled.page.get_by_role("textbox", name="New name")
    field.fill("Older")
    # In one go, so that no answer comes in between.
    filled.item("Old").evaluate(
        """(item) => {
            const field = item.closest('item-list').querySelector('.name-field');
            field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
            item.dispatchEvent(new MouseEvent('dblclick', { bubbles: true }));
        }""")
    expect(filled.title).to_have_text("Older")
    expect(filled.page.get_by_role("heading", name="Nothing here yet")).to_be_visible()


def test_of_two_names_in_a_row_the_one_that_is_not_refused_stays(start_app, open_tab, held_line):
    tab = open_tab(start_app("Color", fill), context=held_line.context)
    # The list hears of the first name when the second has been refused.
    held_line.hold(tab, lets_through='"reply"')
    for name in ("Ember", "Brick"):
        tab.page.get_by_role("option", name=re.compile("^(Ash|Ember)")).click()
        tab.page.keyboard.press("F2")
        field = tab.page.get_by_role("textbox", name="New name")
        field.fill(name)
        field.press("Enter")
    dialog = tab.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("Brick")
    dialog.get_by_role("button", name="OK").click()
    shown = tab.page.locator(".item .item-title")
    expect(shown).to_have_text(["Old", "Brick", "Clay", "Ember"])
    # What is done to it now is done to the item of that name.
    tab.page.keyboard.press("Control+d")
    held_line.wait_for(tab, "Ember")
    held_line.let_go()
    expect(shown).to_have_text(["Old", "Brick", "Clay", "Ember", "Ember 2"])
    assert "Ash.color" not in tab.app.names() and "Brick.color" in tab.app.names()


def test_a_document_is_moved_by_cut_and_paste(filled):
    filled.item("Ash").click()
    filled.page.keyboard.press("Control+x")
    filled.item("Old").dblclick()
    expect(filled.title).to_have_text("Old")
    filled.page.keyboard.press("Control+v")
    filled.item("Ash").wait_for()
    assert (filled.app.documents / "Old" / "Ash.color").exists()


def test_what_was_cut_is_pasted_under_the_name_that_it_has_got_since(filled):
    filled.item("Ash").click()
    filled.page.keyboard.press("Control+x")
    filled.page.keyboard.press("F2")
    field = filled.page.get_by_role("textbox", name="New name")
    field.fill("Birch")
    field.press("Enter")
    filled.item("Birch").wait_for()
    filled.item("Old").dblclick()
    expect(filled.title).to_have_text("Old")
    filled.page.keyboard.press("Control+v")
    filled.item("Birch").wait_for()
    assert (filled.app.documents / "Old" / "Birch.color").exists()


def test_chosen_files_are_imported(filled, tmp_path):
    source = tmp_path / "From Elsewhere.color"
    shutil.copy(filled.app.documents / "Ash.color", source)
    with filled.page.expect_file_chooser() as chooser:
        filled.toolbar.get_by_role("button", name="Import", exact=True).click()
    chooser.value.set_files(source)
    filled.item("From Elsewhere").wait_for()
    imported = filled.app.documents / "From Elsewhere.color"
    assert imported.read_bytes() == source.read_bytes()


def drop(tab, name, text):
    """Drops a file made in the page onto the list."""
    tab.page.evaluate(
        """([name, text]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], name, { type: 'text/plain' }));
            const target = document.querySelector('document-browser');
            for (const kind of ['dragenter', 'dragover', 'drop']) {
                const how = { dataTransfer: transfer, bubbles: true, cancelable: true };
                target.dispatchEvent(new DragEvent(kind, how));
            }
        }""", [name, text])


def test_dropped_files_are_imported(filled):
    drop(filled, "Dropped.txt", "by hand")
    filled.item("Dropped.txt").wait_for()
    assert (filled.app.documents / "Dropped.txt").read_text() == "by hand"


def test_a_chosen_folder_is_imported_with_all_in_it(filled, tmp_path):
    source = tmp_path / "Parcel"
    (source / "inner").mkdir(parents=True)
    (source / "one.txt").write_text("1")
    (source / "inner" / "two.txt").write_text("2")
    filled.toolbar.get_by_role("button", name="More").click()
    with filled.page.expect_file_chooser() as chooser:
        filled.page.get_by_role("menuitem", name="Import a Folder").click()
    chooser.value.set_files(source)
    filled.item("Parcel").wait_for()
    assert (filled.app.documents / "Parcel" / "inner" / "two.txt").read_text() == "2"


def test_the_list_sorts_and_remembers_the_view(filled):
    filled.toolbar.get_by_role("button", name="List", exact=True).click()
    name = filled.page.get_by_role("columnheader", name="Name")
    expect(name).to_have_attribute("aria-sort", "ascending")
    shown = filled.page.locator(".item .item-title")
    expect(shown).to_have_text(["Old", "Ash", "Brick", "Clay"])
    name.get_by_role("button").click()
    expect(name).to_have_attribute("aria-sort", "descending")
    expect(shown).to_have_text(["Old", "Clay", "Brick", "Ash"])
    filled.screenshot("list")
    filled.page.reload()
    expect(filled.page.get_by_role("grid")).to_be_visible()


def test_every_main_task_by_keyboard_alone(filled):
    page = filled.page
    filled.item("Old").focus()
    page.keyboard.press("ArrowRight")
    expect(filled.item("Ash")).to_be_focused()
    page.keyboard.type("cl")
    expect(filled.item("Clay")).to_be_focused()
    page.keyboard.press("Home")
    expect(filled.item("Old")).to_be_focused()
    page.keyboard.press("Control+a")
    expect(filled.page.locator(".item[aria-selected='true']")).to_have_count(4)
    page.keyboard.press("Escape")
    expect(filled.page.locator(".item[aria-selected='true']")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    filled.done.wait_for()
    expect(filled.title).to_contain_text("Brick")
    filled.editor.get_by_label("Hex").press("Escape")
    expect(filled.done).to_be_focused()
    page.keyboard.press("Enter")
    expect(filled.item("Brick")).to_be_focused()


def test_two_tabs_show_each_others_changes(filled, open_tab):
    other = open_tab(filled.app)
    filled.item("Ash").click()
    filled.page.keyboard.press("Delete")
    expect(other.item("Ash")).to_have_count(0)


def test_a_lost_connection_is_said_and_found_again(filled):
    filled.app.kill()
    expect(filled.page.locator("connection-bar .connection")).to_be_visible()
    filled.screenshot("cut-off")
    filled.app.start()
    filled.page.goto(filled.app.link)
    filled.item("Ash").wait_for()
    expect(filled.page.locator("connection-bar .connection")).to_be_hidden()


def test_a_phone_chooses_and_acts_without_a_pointer(filled, open_tab):
    phone = open_tab(filled.app, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone.page.get_by_role("button", name="Select", exact=True).tap()
    phone.item("Ash").tap()
    phone.item("Brick").tap()
    expect(phone.selected).to_contain_text("2 selected")
    phone.screenshot("phone-choosing")
    phone.selected.get_by_role("button", name="Move to Trash").tap()
    expect(phone.item("Ash")).to_have_count(0)
    expect(phone.item("Brick")).to_have_count(0)
    phone.selected.get_by_role("button", name="Done").tap()
    phone.item("Clay").tap()
    phone.done.wait_for()


def test_a_question_without_a_way_out_stays_whatever_is_pressed(color):
    color.page.evaluate("""async () => {
        const { openDialog } = await import("/page/app-dialog/dialogs.js");
        openDialog({
            title: "Question", isAlert: true, actions: [{ title: "Answer", style: "default" }], choose: () => {},
        });
    }""")
    question = color.page.get_by_role("alertdialog", name="Question")
    expect(question.get_by_role("button", name="Answer")).to_be_focused()
    for _ in range(3):
        color.page.keyboard.press("Escape")
    expect(question).to_be_visible()
    color.page.mouse.click(2, 2)  # beside it, where nothing has the keyboard
    for _ in range(3):
        color.page.keyboard.press("Escape")
    expect(question).to_be_visible()
