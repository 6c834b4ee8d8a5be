"""axe finds nothing on any screen, in both themes and widths, and a picture of each is kept."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from pictures import LAKE, drawn

FORMS = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
THEMES = ("dark", "light")
COLORS = {
    "Apricot": "251,206,177", "Coral Reef": "255,127,80", "Deep Sea": "20,66,114", "Fern": "79,121,66",
    "Lavender": "181,126,220", "Moss": "138,154,91", "Slate": "112,128,144", "Sunset": "250,128,114",
}
axe = Axe()


def check(page):
    # What is still fading in has not its colours yet; what fades in after something else has not begun to.
    page.evaluate("""async () => {
        const running = () => document.getAnimations().filter((one) => one.playState === 'running');
        for (let some = running(); some.length > 0; some = running()) {
            await Promise.allSettled(some.map(({ finished }) => finished));
        }
    }""")
    found = axe.run(page).response["violations"]
    assert found == [], "\n".join(
        f"{violation['id']}: {violation['help']}: {[node['target'] for node in violation['nodes']]}"
        for violation in found)


def looker(tab, form):
    """Checks and pictures what a tab shows, in both themes."""
    def seen(screen):
        for theme in THEMES:
            tab.page.emulate_media(color_scheme=theme)
            check(tab.page)
            tab.screenshot(f"{form}-{theme}-{screen}")

    return seen


def check_editor(tab):
    """The editor for itself: axe cannot look into its frame."""
    editor = next(frame for frame in tab.page.frames if "/web/" in frame.url)
    page = tab.page.context.new_page()
    page.goto(editor.url)
    page.evaluate("globalThis.show?.({ red: 20, green: 66, blue: 114 }); globalThis.setEditable?.(true)")
    expect(page.get_by_role("main")).to_be_visible()
    for theme in THEMES:
        page.emulate_media(color_scheme=theme)
        check(page)
    page.close()


def fill(folder):
    for title, content in COLORS.items():
        (folder / f"{title}.color").write_text(content + "\n")
    (folder / "A Broken One.color").write_text("purple\n")
    (folder / "Notes.txt").write_text("some text")
    (folder / "Palettes").mkdir()
    (folder / "Palettes" / "Autumn.color").write_text("178,98,44\n")


@pytest.mark.parametrize("form", FORMS)
def test_no_violations_in_the_browser(start_app, open_tab, form):
    tab = open_tab(start_app("Color"), **FORMS[form])
    page = tab.page
    seen = looker(tab, form)
    page.get_by_role("heading", name="Nothing here yet").wait_for()
    seen("empty")
    fill(tab.app.documents)
    expect(page.locator(".item")).to_have_count(len(COLORS) + 3)
    seen("icons")
    tab.item("Coral Reef").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    seen("selected")
    page.keyboard.press("Shift+F10")
    page.get_by_role("menu").wait_for()
    seen("menu")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More", exact=True).first.click()
    page.get_by_role("menu").wait_for()
    seen("more")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    tab.item("Fern").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("F2")
    page.get_by_role("textbox", name="New name").wait_for()
    seen("rename")
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+2")
    page.get_by_role("grid").wait_for()
    seen("list")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    seen("keyboard")
    page.keyboard.press("Escape")
    page.keyboard.press("Alt+1")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    tab.item("Autumn").wait_for()
    seen("folder")
    page.keyboard.press("Alt+ArrowUp")
    tab.item("Slate").wait_for()
    page.keyboard.press("Delete")
    page.get_by_role("region", name="Notices").wait_for()
    seen("notice")


@pytest.mark.parametrize("form", FORMS)
def test_no_violations_in_a_colour(agent, start_app, open_tab, form):
    tab = open_tab(start_app("Color", fill, environment=agent.environment), **FORMS[form])
    page = tab.page
    seen = looker(tab, form)
    tab.item("A Broken One").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("purple")
    seen("error")
    dialog.get_by_role("button", name="OK").click()
    expect(tab.done).to_be_hidden()
    tab.open_document("Deep Sea")
    seen("document")
    check_editor(tab)
    tab.title.get_by_role("button").click()
    page.get_by_role("textbox", name="New name").wait_for()
    seen("document-rename")
    page.keyboard.press("Escape")
    state = page.locator("document-view.is-front .state-line")
    file = tab.app.documents / "Deep Sea.color"
    with agent.reading(file):
        tab.editor.get_by_label("Hex").fill("#224466")
        tab.editor.get_by_label("Hex").press("Enter")
        expect(state).to_have_text("Saving…")
        file.write_text("1,2,3\n")
    expect(state).to_have_text("Two versions")
    seen("conflict")
    state.get_by_role("button").click()
    page.get_by_role("dialog").wait_for()
    seen("conflict-detail")
    page.keyboard.press("Escape")
    tab.app.kill()
    page.locator("connection-bar .connection").wait_for()
    seen("not-connected")


@pytest.mark.parametrize("form", FORMS)
def test_no_violations_in_a_scrapbook(start_app, open_tab, form):
    tab = open_tab(start_app("Scrapbook"), **FORMS[form])
    seen = looker(tab, form)
    tab.create()
    seen("document-empty")
    lake = drawn(tab.page, LAKE, 1200, 750)
    tab.editor.locator("#file").set_input_files({"name": "lake.jpg", "mimeType": "image/jpeg", "buffer": lake})
    tab.editor.get_by_role("img", name="Picture of this page").wait_for()
    tab.editor.get_by_role("textbox", name="Text").fill(
        "We walked around the lake before breakfast. The water was so still that we could not tell where the "
        "hills ended and their reflection began.")
    tab.expect_saved()
    seen("document")
    check_editor(tab)
    tab.close_document()
    tab.item("Scrapbook").wait_for()
    seen("icons")
