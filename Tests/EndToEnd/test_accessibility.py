"""axe finds nothing on any screen, in both themes and widths, and a picture of each is kept."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

FORMS = {
    "wide": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
THEMES = ("light", "dark")
axe = Axe()


def check(page):
    # What is still fading in has not its colours yet.
    page.evaluate(
        "Promise.all(document.getAnimations().map(animation => animation.finished.catch(() => {})))")
    found = axe.run(page).response["violations"]
    assert found == [], "\n".join(
        f"{violation['id']}: {violation['help']}: {[node['target'] for node in violation['nodes']]}"
        for violation in found)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["Color", "Scrapbook"])
def test_no_violations(start_app, open_tab, name, form, theme):
    app = start_app(name)
    (app.documents / "Notes.txt").write_text("some text")
    (app.documents / "Folder").mkdir()
    tab = open_tab(app, color_scheme=theme, **FORMS[form])
    page = tab.page
    tab.item("Notes.txt").wait_for()

    def seen(screen):
        check(page)
        tab.screenshot(f"{form}-{theme}-{screen}")

    seen("icons")
    page.get_by_role("option").first.focus()
    page.keyboard.press("End")
    seen("selected")
    page.keyboard.press("Shift+F10")
    page.get_by_role("menu").wait_for()
    seen("menu")
    page.keyboard.press("Escape")
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
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Escape")
    tab.create()
    tab.editor.get_by_role("textbox").first.wait_for()
    seen("document")
    editor = next(frame for frame in page.frames if frame != page.main_frame)
    check_editor(page.context, editor.url)


def check_editor(context, address):
    """The editor for itself: axe cannot look into its frame."""
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("main")).to_be_visible()
    check(page)
    page.close()
