"""Pictures of items in the browser's list: which there are, when they come, and what never becomes one."""

import hashlib
import os
import plistlib
import struct
import zlib

import pytest
from playwright.sync_api import expect
from test_accessibility import FORMS, looker

from pictures import noise, png

SCRIPT = b"<!doctype html><script>parent.document.title = 'run'; alert(1)</script>"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"


def placeholder(folder, name, thumbnail, is_folder=False):
    """Stands for a document whose contents are at the hub only."""
    kind = "Directory" if is_folder else "Regular"
    (folder / f".{name}.icloud").write_bytes(plistlib.dumps({
        "NSURLNameKey": name, "NSURLFileSizeKey": 12, "SheafPlaceholder": 1,
        "NSURLFileResourceTypeKey": f"NSURLFileResourceType{kind}", "NSURLThumbnailKey": thumbnail}))


def package(folder, name, thumbnail):
    (folder / name / "QuickLook").mkdir(parents=True)
    (folder / name / "text.txt").write_text("text")
    (folder / name / "QuickLook" / "Thumbnail.png").write_bytes(thumbnail)


def fill(folder):
    (folder / "Lake.png").write_bytes(png(320, 200, (60, 110, 180)))
    (folder / "Tower.png").write_bytes(png(90, 400, (170, 90, 70)))
    (folder / "Dot.png").write_bytes(png(12, 12, (40, 140, 90)))
    (folder / "Notes.txt").write_text("text")
    (folder / "A Page.png").write_bytes(SCRIPT)
    (folder / "A Drawing.png").write_bytes(SVG)
    (folder / "Broken.png").write_bytes(png(40, 40)[:30])
    (folder / "Empty.scrapbook").mkdir()
    (folder / "Folder").mkdir()
    package(folder, "Trip.scrapbook", png(200, 260, (200, 170, 60)))
    placeholder(folder, "Away.scrapbook", png(200, 260, (150, 60, 150)), is_folder=True)


SHOWN = ["Away", "Dot.png", "Lake.png", "Tower.png", "Trip"]


def picture(tab, title):
    return tab.item(title).locator("canvas.thumbnail")


@pytest.fixture
def filled(start_app):
    return start_app("Scrapbook", fill)


def address(tab, item, **more):
    """Where the picture of an item is, as the page asks for it."""
    return tab.page.evaluate(
        "(more) => '/thumbnail?' + new URLSearchParams({ tab: sessionStorage.getItem('tab'), ...more })",
        {"item": item, **more})


def answer(tab, item):
    return tab.page.evaluate("""async (address) => {
        const answer = await fetch(address);
        return { status: answer.status, length: (await answer.arrayBuffer()).byteLength,
            headers: Object.fromEntries(answer.headers) };
    }""", address(tab, item))


@pytest.mark.parametrize("form", FORMS)
def test_items_show_their_pictures(filled, open_tab, form):
    tab = open_tab(filled, **FORMS[form])
    for title in SHOWN:
        expect(picture(tab, title)).to_be_visible()
    # They come in order: what comes before the last of them would be there, too.
    expect(tab.page.locator("canvas.thumbnail")).to_have_count(len(SHOWN))
    seen = looker(tab, f"{form}-thumbnails")
    seen("icons")
    # What it shows is in its proportions, and as small as its place.
    ratio = tab.page.evaluate("devicePixelRatio")
    for title, (width, height) in {"Lake.png": (78, 49), "Tower.png": (18, 78), "Dot.png": (12, 12)}.items():
        size = picture(tab, title).evaluate("(canvas) => [canvas.width, canvas.height]")
        assert size[0] <= width * ratio + 1 and size[1] <= height * ratio + 1
        shown, place = (part.bounding_box() for part in (
            picture(tab, title), tab.item(title).locator(".item-picture")))
        assert shown["height"] <= place["height"] and shown["width"] <= place["width"]
        assert abs(shown["width"] / shown["height"] - size[0] / size[1]) < 0.1
    # The item's name is what is read out, once.
    assert tab.item("Lake.png").locator(".item-picture").aria_snapshot() == ""
    if form == "wide":
        tab.page.keyboard.press("Alt+2")
        tab.page.get_by_role("grid").wait_for()
        expect(tab.page.locator("canvas.thumbnail")).to_have_count(len(SHOWN))
        for title in SHOWN:
            shown, row = picture(tab, title).bounding_box(), tab.item(title).bounding_box()
            assert row["y"] < shown["y"] and shown["y"] + shown["height"] < row["y"] + row["height"]
        seen("list")


def test_a_picture_follows_its_item(filled, open_tab, tmp_path):
    tab = open_tab(filled)
    pixel = "(canvas) => [...canvas.getContext('2d').getImageData(2, 2, 1, 1).data.slice(0, 3)]"
    assert picture(tab, "Lake.png").evaluate(pixel) == [60, 110, 180]
    with tab.page.expect_response("**/thumbnail?*"):
        (tab.app.documents / "Lake.png").write_bytes(png(300, 200, (10, 20, 30)))
    expect(picture(tab, "Lake.png")).to_have_js_property("height", 52)
    assert picture(tab, "Lake.png").evaluate(pixel) == [10, 20, 30]
    # No picture any more: the sign of its kind comes back.
    (tab.app.documents / "Lake.png").write_bytes(SCRIPT)
    expect(picture(tab, "Lake.png")).to_be_hidden()
    expect(tab.item("Lake.png").locator("svg.picture")).to_be_visible()
    package(tmp_path, "Full.scrapbook", png(30, 30))
    (tab.app.documents / "Empty.scrapbook").rmdir()
    (tmp_path / "Full.scrapbook").rename(tab.app.documents / "Empty.scrapbook")
    expect(picture(tab, "Empty")).to_be_visible()


@pytest.mark.parametrize("status", [401, 503])
def test_an_answer_that_says_nothing_of_the_item_is_not_kept(filled, open_tab, status):
    tab = open_tab(filled)
    expect(picture(tab, "Lake.png")).to_be_visible()
    refused = []

    def refuse(route):
        refused.append(route.request.url)
        route.fulfill(status=status, body="")

    tab.page.route("**/thumbnail?*", refuse)
    with tab.page.expect_response(lambda answer: "item=New.png" in answer.url):
        (tab.app.documents / "New.png").write_bytes(png(30, 30))
    expect(tab.item("New.png").locator("svg.picture")).to_be_visible()
    assert refused
    tab.page.unroute("**/thumbnail?*")
    # The list is drawn anew.
    tab.page.keyboard.press("Alt+2")
    expect(picture(tab, "New.png")).to_be_visible()


def test_only_what_is_in_view_is_asked_for(start_app, open_tab):
    def fill_much(folder):
        for number in range(400):
            (folder / f"{number:03}.png").write_bytes(png(8, 8))

    tab = open_tab(start_app("Scrapbook", fill_much))
    asked = []
    tab.page.on("request", lambda request: asked.append(request.url) if "/thumbnail?" in request.url else None)
    expect(picture(tab, "000.png")).to_be_visible()
    tab.page.locator("item-list").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
    expect(picture(tab, "399.png")).to_be_visible()
    # Of those between nobody has seen anything.
    assert len(asked) < 300 and not any("item=200.png" in url for url in asked)
    # What was shown is not asked for again.
    asked.clear()
    tab.page.locator("item-list").evaluate("(list) => list.scrollTo(0, 0)")
    expect(picture(tab, "000.png")).to_be_visible()
    assert not any("item=000.png" in url for url in asked)


def test_what_the_desktop_has_made_is_shown(start_app, open_tab):
    def fill_one(folder):
        (folder / "Film.txt").write_text("a film, let us say")

    app = start_app("Scrapbook", fill_one)
    tab = open_tab(app)
    expect(tab.item("Film.txt").locator("svg.picture")).to_be_visible()
    made = tab.app.documents / "Film.txt"
    desktop_thumbnail(app.state / "cache" / "thumbnails", made)
    os.rename(made, made.with_name("Movie.txt"))
    desktop_thumbnail(app.state / "cache" / "thumbnails", made.with_name("Movie.txt"))
    expect(tab.item("Movie.txt")).to_be_visible()
    tab.page.reload()
    expect(picture(tab, "Movie.txt")).to_be_visible()


def desktop_thumbnail(cache, path):
    """A PNG picture as thumbnailers make it: named by the file's address, with its time in it."""
    whole = png(128, 80, (90, 40, 120))
    text = b"Thumb::MTime\0" + str(int(path.stat().st_mtime)).encode()
    chunk = struct.pack(">I", len(text)) + b"tEXt" + text + struct.pack(">I", zlib.crc32(b"tEXt" + text))
    (cache / "normal").mkdir(parents=True, exist_ok=True)
    name = hashlib.md5(path.as_uri().encode()).hexdigest()
    # Behind the signature and the header.
    (cache / "normal" / f"{name}.png").write_bytes(whole[:33] + chunk + whole[33:])


def test_nothing_else_comes_through_the_door(filled, open_tab, tmp_path):
    folder = filled.documents
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "secret.png").write_bytes(png(20, 20))
    package(secret, "Secret.scrapbook", png(20, 20))
    (folder / "Link.png").symlink_to(secret / "secret.png")
    (folder / "Way").symlink_to(secret)
    (folder / "Linked.scrapbook").mkdir()
    (folder / "Linked.scrapbook" / "QuickLook").symlink_to(secret / "Secret.scrapbook" / "QuickLook")
    (folder / ".hidden.png").write_bytes(png(20, 20))
    (folder / "Large.png").write_bytes(noise(1500, 1500))
    (folder / "Vast.png").write_bytes(png(20_000, 2_001))
    placeholder(folder, "Bad.scrapbook", SVG, is_folder=True)
    tab = open_tab(filled)
    expect(picture(tab, "Lake.png")).to_be_visible()  # the process knows the tab by then
    good = answer(tab, "Lake.png")
    assert good["status"] == 200 and good["length"] == (folder / "Lake.png").stat().st_size
    assert good["headers"]["content-type"] == "image/png"
    assert good["headers"]["x-content-type-options"] == "nosniff"
    assert good["headers"]["content-security-policy"].startswith("default-src 'none'; sandbox;")
    assert answer(tab, "Trip.scrapbook")["status"] == answer(tab, "Away.scrapbook")["status"] == 200
    for item in ["Link.png", "Way/secret.png", "Linked.scrapbook", ".hidden.png", "Large.png", "Vast.png",
                 "Bad.scrapbook", "../secret/secret.png", str(secret / "secret.png"), "Trip.scrapbook/QuickLook/Thumbnail.png",
                 "Trip.scrapbook/text.txt", "Notes.txt", "A Page.png", "A Drawing.png", "Folder", "", "gone.png"]:
        refused = answer(tab, item)
        assert (refused["status"], refused["length"]) == (204, 0), item
    # Not for those who were not let in, and not of a tab that shows nothing.
    place = tab.page.url.rstrip("/") + address(tab, "Lake.png")
    stranger = tab.page.context.browser.new_context()
    assert stranger.request.get(place).status == 401
    stranger.close()
    assert tab.page.request.get(place.replace("tab=", "tab=0000")).status == 400
    other = place.replace(place.split("tab=")[1][:32], "0" * 32)
    assert tab.page.request.get(other).status == 204
