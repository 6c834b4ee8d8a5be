"""A page whose process is gone, stands still or comes back."""

from playwright.sync_api import expect

from color_editor import hex_field, set_hex
from keeping import is_kept
from test_durability import text


def bar(tab):
    return tab.page.locator("connection-bar .connection")


def test_a_process_that_stands_still_is_said_and_what_was_entered_arrives(color):
    color.create()
    set_hex(color, "#101010")
    with color.app.stopped():
        set_hex(color, "#202020")
        expect(bar(color)).to_be_visible()
        expect(bar(color)).to_contain_text("trying again")
        color.screenshot("standing-still")
    expect(bar(color)).to_be_hidden()
    color.expect_saved()
    [name] = color.app.names()
    assert (color.app.documents / name).read_text() == "32,32,32\n"


def test_the_page_finds_a_new_process_at_the_old_port_by_itself(color):
    color.create()
    set_hex(color, "#303030")
    color.close_document()
    [title] = color.titles()
    is_kept(color.app, lambda state: "activity" not in state)
    color.app.kill()
    expect(bar(color)).to_be_visible()
    (color.app.documents / "Meanwhile.color").write_text("1,2,3\n")
    color.app.start()
    expect(bar(color)).to_be_hidden()
    color.item("Meanwhile").wait_for()
    color.open_document(title)
    expect(hex_field(color)).to_have_value("#303030")


def test_an_open_document_comes_back_to_the_page_with_its_process(color):
    color.create()
    set_hex(color, "#404040")
    color.expect_saved()
    is_kept(color.app, lambda state: "activity" in state)
    color.app.kill()
    expect(bar(color)).to_be_visible()
    color.screenshot("cut-off-document")
    color.app.start()
    expect(bar(color)).to_be_hidden()
    color.expect_opened()
    expect(hex_field(color)).to_have_value("#404040")


def test_a_page_cut_off_while_it_loads_shows_documents_once_its_process_is_back(color):
    color.create()
    color.close_document()
    [title] = color.titles()
    color.page.route("**/scene-stage/element.js", lambda route: route.abort(), times=1)
    color.page.reload()
    with color.page.expect_event("requestfailed"):
        color.item(title).hover()
    color.app.kill()
    expect(bar(color)).to_be_visible()
    color.app.start()
    expect(bar(color)).to_be_hidden()
    color.open_document(title)
    color.expect_opened()


def test_a_reload_keeps_the_document_in_front(color):
    color.create()
    set_hex(color, "#505050")
    # What is still on its way to the app when the page goes is none of this.
    expect(color.undo).to_be_enabled()
    color.page.reload()
    color.expect_opened()
    expect(hex_field(color)).to_have_value("#505050")
    color.undo.click()
    expect(hex_field(color)).not_to_have_value("#505050")


def test_a_doubled_tab_is_a_tab_of_its_own(color):
    color.create()
    name = color.page.evaluate("sessionStorage.getItem('tab')")
    page = color.page.context.new_page()
    page.add_init_script(f"sessionStorage.setItem('tab', '{name}')")
    double = type(color)(page, color.app).open()
    expect(double.toolbar).to_be_visible()
    assert page.evaluate("sessionStorage.getItem('tab')") != name
    set_hex(color, "#606060")
    color.expect_saved()
    expect(bar(color)).to_be_hidden()


def test_a_line_that_is_there_again_is_not_said_to_be_off(start_app, open_tab, held_line):
    tab = open_tab(start_app("Color"), context=held_line.context)
    held_line.hold(tab)
    questions = []
    tab.page.route("**/page/strings.js", lambda route: questions.append(route), times=1)
    held_line.cut()
    held_line.until(tab, lambda: questions)
    tab.page.evaluate("dispatchEvent(new Event('online'))")
    (tab.app.documents / "Sea.color").write_text("1,2,3\n")
    tab.item("Sea").wait_for()
    with tab.page.expect_response("**/page/strings.js"):
        questions[0].continue_()
    # The answer to another question comes after that one's.
    tab.page.evaluate("fetch('/page/strings.js').then((answer) => answer.text())")
    expect(bar(tab)).to_be_hidden()


def test_what_an_editor_says_at_too_great_length_is_refused_once(scrapbook):
    scrapbook.create()
    problem = text(scrapbook).evaluate("""() => Promise.race([
        webkit.messageHandlers.scrapbook.postMessage({ kind: "none", filler: "x".repeat(64 * 2 ** 20) }),
        new Promise((resolve) => setTimeout(resolve, 20_000, "no answer")),
    ]).catch((error) => error.message)""")
    assert problem == "the message is too long"
    text(scrapbook).press_sequentially("Sea")
    scrapbook.expect_saved()
    expect(bar(scrapbook)).to_be_hidden()
