"""A folder that is kept in step, as the browser shows it: what stands where, why, and what one can do about it."""

import json
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest
from devices import wait_for
from playwright.sync_api import expect
from test_accessibility import FORMS, looker
from test_sync import World


@pytest.fixture
def two(start_app):
    """Two devices, and an app on the folder of the second one."""
    base = Path(tempfile.mkdtemp(prefix="sheaf-browser-"))
    world = World(base, 2)
    here = world.devices[1]
    apps = []
    # One user's: what lost a conflict is among the versions of all programs.
    keys = ("SHEAF_HOME", "SHEAF_RUNTIME_DIR", "SHEAF_VAULT", "SHEAF_TYPES")

    def start(name="Color"):
        environment = {key: here.environment[key] for key in keys}
        apps.append(start_app(name, folder=here.folder, environment=environment))
        return apps[-1]

    world.start_app = start
    yield world
    # They write below it, too.
    for app in apps:
        app.stop()
    world.end()
    for device in world.devices:
        print(device.said)  # shown where a test fails
    shutil.rmtree(base)


def symbol(tab, title):
    return tab.item(title).locator(".item-sync")


def choose(tab, title, entry):
    """Opens an item's menu until that has the entry: it has what was known of the item when it was opened."""
    chosen = tab.page.get_by_role("menuitem", name=entry, exact=True)

    def is_offered():
        tab.item(title).focus()
        tab.page.keyboard.press("Shift+F10")
        tab.page.get_by_role("menuitem").first.wait_for()
        if chosen.is_visible():
            return True
        tab.page.keyboard.press("Escape")
        return False

    wait_for(is_offered, 20, f"no “{entry}” in the menu of “{title}”")
    chosen.click()


def test_what_an_app_declares_as_a_package_is_one_item_on_every_device(two, open_tab):
    there, here = two.devices
    # Both have run for a while, and have never heard of the type.
    two.settle()
    tab = open_tab(two.start_app("Scrapbook"))
    tab.create()
    tab.close_document()
    name = "Scrapbook.scrapbook"
    (here.folder / name / "more.txt").write_text("beside what the app has in it")
    wait_for(lambda: (there.folder / name / "more.txt").is_file(), 20, lambda: there.said)
    two.settle()
    for device in two.devices:
        said = json.loads(device.run("explain", device.folder / name / "more.txt", "--json").stdout)
        assert said["path"] == name, said
        [status] = json.loads(device.run("status", "--json").stdout)
        assert status["itemCount"] == 1, status


def test_what_is_in_step_is_quiet_and_what_is_not_says_so(two, open_tab):
    there, here = two.devices
    (there.folder / "Fern.color").write_text("79,121,66\n")
    two.settle()
    tab = open_tab(two.start_app())
    expect(tab.item("Fern")).to_be_visible()
    expect(symbol(tab, "Fern")).to_be_hidden()
    two.hub.kill()
    wait_for(lambda: not here.is_in_step, 20, lambda: here.said)
    (here.folder / "Moss.color").write_text("138,154,91\n")
    expect(symbol(tab, "Moss")).to_have_accessible_name("Waiting to sync")
    expect(tab.item("Moss")).to_have_accessible_name(re.compile("Moss, .*, Waiting to sync"))
    expect(symbol(tab, "Fern")).to_be_hidden()
    choose(tab, "Moss", "Sync Status")
    sheet = tab.page.get_by_role("dialog", name="Sync status of “Moss”")
    causes = sheet.get_by_role("list", name="Why").get_by_role("listitem")
    expect(causes.last).to_contain_text("There is no line to the hub")
    # What the page says is what the command says.
    def shown():
        return [*causes.all_text_contents(), sheet.locator(".status-next p").inner_text()]

    def told():
        return here.run("explain", here.folder / "Moss.color").stdout

    # Once it has come to both: one is asked after the other.
    wait_for(lambda: all(text in told() for text in shown()), 20, lambda: f"{shown()} {told()}")
    # It is live while it is open.
    two.hub.start()
    expect(causes).to_have_text(["It is the same here and at the hub."])
    expect(sheet.locator(".status-lead")).to_have_text("Up to date")
    where = sheet.locator(".status-devices")
    expect(where.get_by_role("heading")).to_have_text("On which devices")
    expect(where.locator("p")).to_have_text(
        [f"It is on “{here.name}” (this device).", f"Have read of it, as the hub says: “{there.name}”."]
    )
    tab.page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(tab.item("Moss")).to_be_focused()
    expect(symbol(tab, "Moss")).to_be_hidden()


def test_a_document_without_its_contents_is_shown_and_opened(two, open_tab):
    there, here = two.devices
    (there.folder / "Fern.color").write_text("79,121,66\n")
    (there.folder / "Moss.color").write_text("138,154,91\n")
    two.settle()
    tab = open_tab(two.start_app())
    choose(tab, "Fern", "Remove Download")
    expect(symbol(tab, "Fern")).to_have_accessible_name("Not on this device")
    assert (here.folder / ".Fern.color.icloud").exists() and not (here.folder / "Fern.color").exists()
    expect(tab.page.locator(".item .item-title")).to_have_text(["Fern", "Moss"])
    # It can be renamed where it is.
    tab.item("Fern").focus()
    tab.page.keyboard.press("F2")
    tab.page.keyboard.type("Bracken")
    tab.page.keyboard.press("Enter")
    expect(symbol(tab, "Bracken")).to_have_accessible_name("Not on this device")
    wait_for(lambda: (there.folder / "Bracken.color").exists(), 20, lambda: here.said)
    # While the hub keeps one waiting there is a way out.
    with two.hub.stopped():
        tab.item("Bracken").focus()
        tab.page.keyboard.press("Enter")
        notice = tab.page.get_by_role("region", name="Notices")
        expect(notice).to_contain_text("Downloading “Bracken”")
        expect(symbol(tab, "Bracken")).to_have_accessible_name(re.compile("^Downloading"))
        tab.screenshot("sync-downloading")
        notice.get_by_role("button", name="Cancel").click()
        expect(notice).to_be_hidden()
        expect(symbol(tab, "Bracken")).to_have_accessible_name("Not on this device")
        # So there is where nobody waits.
        choose(tab, "Bracken", "Download Now")
        expect(symbol(tab, "Bracken")).not_to_have_accessible_name("Not on this device")
        choose(tab, "Bracken", "Cancel Download")
        expect(symbol(tab, "Bracken")).to_have_accessible_name("Not on this device")
    tab.open_document("Bracken")
    assert tab.shown == "79,121,66\n"
    tab.close_document()
    expect(symbol(tab, "Bracken")).to_be_hidden()
    choose(tab, "Bracken", "Remove Download")
    expect(symbol(tab, "Bracken")).to_be_visible()
    choose(tab, "Bracken", "Download Now")
    expect(symbol(tab, "Bracken")).to_be_hidden()
    assert (here.folder / "Bracken.color").read_text() == "79,121,66\n"


def test_what_goes_to_the_trash_comes_first_and_that_can_be_called_off(two, open_tab):
    there, here = two.devices
    for name, text in {"Fern": "79,121,66", "Moss": "138,154,91"}.items():
        (there.folder / f"{name}.color").write_text(text + "\n")
    two.settle()
    tab = open_tab(two.start_app())
    choose(tab, "Fern", "Remove Download")
    expect(symbol(tab, "Fern")).to_have_accessible_name("Not on this device")
    # Until then they are here, though not in the folder.
    wait_for(lambda: "the room of evicted contents is free" in here.said, 20, lambda: here.said)
    with two.hub.stopped():
        tab.item("Fern").focus()
        tab.page.keyboard.press("Delete")
        notice = tab.page.get_by_role("region", name="Notices")
        expect(notice).to_contain_text("Downloading “Fern”")
        # Meanwhile all else can be done.
        tab.item("Moss").click()
        tab.page.keyboard.press("F2")
        tab.page.keyboard.type("Bracken")
        tab.page.keyboard.press("Enter")
        wait_for(lambda: (here.folder / "Bracken.color").exists(), 20, lambda: here.said)
        notice.get_by_role("button", name="Cancel").click()
        expect(notice).to_be_hidden()
        expect(symbol(tab, "Fern")).to_have_accessible_name("Not on this device")
    tab.item("Fern").click()
    tab.page.keyboard.press("Delete")
    expect(tab.item("Fern")).to_be_hidden()
    wait_for(lambda: not (there.folder / "Fern.color").exists(), 20, lambda: here.said)


def test_what_is_kept_from_sync_says_so(two, open_tab):
    there, here = two.devices
    (there.folder / "Fern.color").write_text("79,121,66\n")
    two.settle()
    tab = open_tab(two.start_app())
    expect(symbol(tab, "Fern")).to_be_hidden()
    os.setxattr(here.folder / "Fern.color", "user.sheaf.excluded", b"1")
    expect(symbol(tab, "Fern")).to_have_accessible_name("Stays on this device")
    choose(tab, "Fern", "Sync Status")
    sheet = tab.page.get_by_role("dialog", name="Sync status of “Fern”")
    expect(sheet.locator(".status-lead")).to_have_text("Stays on this device")
    expect(sheet).to_contain_text("excluded from sync")
    tab.screenshot("sync-excluded")
    os.setxattr(here.folder / "Fern.color", "user.sheaf.excluded", b"0")
    expect(sheet.locator(".status-lead")).to_have_text("Up to date")


def test_a_document_is_held_up_and_goes_on(two, open_tab):
    there, here = two.devices
    (there.folder / "Fern.color").write_text("79,121,66\n")
    two.settle()
    tab = open_tab(two.start_app())
    choose(tab, "Fern", "Pause Sync")
    expect(symbol(tab, "Fern")).to_have_accessible_name("Sync paused")
    (here.folder / "Fern.color").write_text("1,2,3\n")
    (here.folder / "Moss.color").write_text("138,154,91\n")
    wait_for(lambda: (there.folder / "Moss.color").exists(), 20, lambda: here.said)
    assert (there.folder / "Fern.color").read_text() == "79,121,66\n"
    assert "is paused since" in here.run("explain", here.folder / "Fern.color").stdout
    # Over a kill of what keeps it in step, too; the page finds that again by itself.
    here.kill()
    here.start()
    choose(tab, "Fern", "Sync Status")
    sheet = tab.page.get_by_role("dialog", name="Sync status of “Fern”")
    expect(sheet).to_contain_text("by Color")
    sheet.get_by_role("button", name="Resume Sync").click()
    wait_for(lambda: (there.folder / "Fern.color").read_text() == "1,2,3\n", 20, lambda: here.said)
    expect(sheet.locator(".status-lead")).to_have_text("Up to date")
    tab.page.keyboard.press("Escape")
    expect(symbol(tab, "Fern")).to_be_hidden()
    # The commands do the same.
    assert here.run("pause", here.folder / "Fern.color").returncode == 0
    expect(symbol(tab, "Fern")).to_have_accessible_name("Sync paused")
    assert here.run("resume", "--drop-local", here.folder / "Fern.color").returncode == 0
    expect(symbol(tab, "Fern")).to_be_hidden()


def test_a_full_hub_is_named_with_what_helps(two, open_tab):
    there, here = two.devices
    (there.folder / "Fern.color").write_text("79,121,66\n")
    two.settle()
    two.hub.kill()
    two.hub.words += ["--quota", "100000"]
    two.hub.start()
    tab = open_tab(two.start_app())
    (here.folder / "Large.bin").write_bytes(os.urandom(300_000))
    expect(symbol(tab, "Large.bin")).to_have_accessible_name("Cannot sync")
    choose(tab, "Large.bin", "Sync Status")
    sheet = tab.page.get_by_role("dialog", name="Sync status of “Large.bin”")
    expect(sheet).to_contain_text("The account may keep 100000 bytes on this hub")
    expect(sheet).to_contain_text("larger quota; then it goes on by itself")
    tab.screenshot("sync-full-hub")
    tab.page.keyboard.press("Escape")
    # What has room there goes on.
    (here.folder / "Moss.color").write_text("138,154,91\n")
    wait_for(lambda: (there.folder / "Moss.color").exists(), 20, lambda: here.said)
    (here.folder / "Large.bin").unlink()
    two.settle()


def test_a_conflict_is_opened_from_its_status_and_settled_on_all_devices(two, open_tab):
    there, here = two.devices
    (there.folder / "Fern.color").write_text("79,121,66\n")
    two.settle()
    two.hub.kill()
    for device, text in ((there, "20,66,114"), (here, "250,128,114")):
        (device.folder / "Fern.color").write_text(text + "\n")
    two.hub.start()
    two.settle(60)
    tab = open_tab(two.start_app())
    choose(tab, "Fern", "Sync Status")
    tab.page.get_by_role("button", name="Open to Decide").click()
    state = tab.page.locator("document-view.is-front .state-line")
    expect(state).to_have_text("Two versions")
    state.get_by_role("button").click()
    tab.page.get_by_role("dialog").get_by_role("button", name=re.compile("^Keep This One")).click()
    expect(state).to_have_text("Saved")
    tab.close_document()
    expect(symbol(tab, "Fern")).to_be_hidden()
    two.settle()
    wait_for(
        lambda: there.conflicts("Fern.color") == [] and here.conflicts("Fern.color") == [],
        20,
        lambda: there.said + here.said,
    )


@pytest.mark.parametrize("form", FORMS)
def test_no_violations_where_things_are_not_in_step(two, open_tab, form):
    there, here = two.devices
    for name, text in {"Fern": "79,121,66", "Moss": "138,154,91", "Coral Reef": "255,127,80"}.items():
        (there.folder / f"{name}.color").write_text(text + "\n")
    two.settle()
    two.hub.kill()
    (there.folder / "Slate.color").write_text("1,2,3\n")
    (here.folder / "Slate.color").write_text("112,128,144\n")
    for device, text in ((there, "20,66,114"), (here, "250,128,114")):
        (device.folder / "Coral Reef.color").write_text(text + "\n")
    two.hub.start()
    two.settle(60)
    assert here.run("evict", here.folder / "Fern.color").returncode == 0
    tab = open_tab(two.start_app(), **FORMS[form])
    expect(symbol(tab, "Coral Reef")).to_have_accessible_name("Versions in conflict")
    two.hub.kill()
    wait_for(lambda: not here.is_in_step, 20, lambda: here.said)
    (here.folder / "Lavender.color").write_text("181,126,220\n")
    expect(symbol(tab, "Lavender")).to_have_accessible_name("Waiting to sync")
    seen = looker(tab, f"{form}-sync")
    seen("icons")
    choose(tab, "Lavender", "Sync Status")
    tab.page.get_by_role("dialog").wait_for()
    expect(tab.page.locator(".status-causes li").last).to_be_visible()
    seen("status")
    tab.page.keyboard.press("Escape")
    choose(tab, "Coral Reef", "Sync Status")
    expect(tab.page.get_by_role("button", name="Open to Decide")).to_be_visible()
    seen("status-conflict")
    tab.page.keyboard.press("Escape")
    choose(tab, "Fern", "Sync Status")
    expect(tab.page.get_by_role("button", name="Download Now")).to_be_visible()
    tab.page.keyboard.press("Escape")
    tab.item("Fern").focus()
    tab.page.keyboard.press("Shift+F10")
    tab.page.get_by_role("menu").wait_for()
    seen("menu")
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("Alt+2")
    tab.page.get_by_role("grid").wait_for()
    seen("list")


def fill_folders(two):
    """Folders in which a document is not here, in conflict, waiting to go up, and in step."""
    there, here = two.devices
    for name in ("Away/Deep/Fern", "Calm/Moss", "Disputed/Coral Reef", "Waiting/Slate"):
        (there.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (there.folder / f"{name}.color").write_text("79,121,66\n")
    two.settle()
    two.hub.kill()
    for device, text in ((there, "20,66,114"), (here, "250,128,114")):
        (device.folder / "Disputed" / "Coral Reef.color").write_text(text + "\n")
    two.hub.start()
    two.settle(60)
    assert here.run("evict", here.folder / "Away" / "Deep" / "Fern.color").returncode == 0


def test_a_folder_has_the_sign_of_the_worst_in_it(two, open_tab):
    there, here = two.devices
    fill_folders(two)
    tab = open_tab(two.start_app())
    expect(symbol(tab, "Away")).to_have_accessible_name("Inside: Not on this device")
    expect(symbol(tab, "Disputed")).to_have_accessible_name("Inside: Versions in conflict")
    expect(tab.item("Disputed")).to_have_accessible_name(re.compile("^Disputed, .*, Inside: Versions in conflict$"))
    expect(symbol(tab, "Calm")).to_be_hidden()
    expect(symbol(tab, "Waiting")).to_be_hidden()
    two.hub.kill()
    wait_for(lambda: not here.is_in_step, 20, lambda: here.said)
    (here.folder / "Waiting" / "Slate.color").write_text("1,2,3\n")
    expect(symbol(tab, "Waiting")).to_have_accessible_name("Inside: Waiting to sync")
    # The folder says that it is what is in it; what is in it says why.
    choose(tab, "Waiting", "Sync Status")
    sheet = tab.page.get_by_role("dialog", name="Sync status of “Waiting”")
    expect(sheet.locator(".status-lead")).to_have_text("Inside: Waiting to sync")
    expect(sheet).to_contain_text("Items in it are not the same here and at the hub yet.")
    expect(sheet).to_contain_text("Look into the folder")
    # It is live, in the sheet too.
    two.hub.start()
    expect(sheet.locator(".status-lead")).to_have_text("Up to date")
    tab.page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(tab.item("Waiting")).to_be_focused()
    expect(symbol(tab, "Waiting")).to_be_hidden()
    # Down the way to what it is about: each folder has it, the rest has not.
    choose(tab, "Away", "Sync Status")
    tab.page.get_by_role("dialog").get_by_role("button", name="Open", exact=True).click()
    expect(symbol(tab, "Deep")).to_have_accessible_name("Inside: Not on this device")
    tab.page.keyboard.press("Enter")
    expect(symbol(tab, "Fern")).to_have_accessible_name("Not on this device")
    assert here.run("download", here.folder / "Away" / "Deep" / "Fern.color").returncode == 0
    expect(symbol(tab, "Fern")).to_be_hidden()
    tab.page.keyboard.press("Alt+ArrowUp")
    expect(tab.item("Deep")).to_be_visible()
    expect(symbol(tab, "Deep")).to_be_hidden()
    tab.page.keyboard.press("Alt+ArrowUp")
    expect(symbol(tab, "Disputed")).to_be_visible()
    expect(symbol(tab, "Away")).to_be_hidden()


def test_a_folder_s_sign_is_not_that_of_a_namesake_in_it(two, open_tab):
    there, here = two.devices
    (there.folder / "Twin" / "Twin").mkdir(parents=True)
    (there.folder / "Twin" / "Fern.color").write_text("79,121,66\n")
    (there.folder / "Twin" / "Twin" / "Moss.color").write_text("138,154,91\n")
    two.settle()
    tab = open_tab(two.start_app())
    tab.item("Twin").focus()
    tab.page.keyboard.press("Enter")
    expect(tab.item("Fern")).to_be_visible()
    assert here.run("pause", here.folder / "Twin" / "Fern.color").returncode == 0
    expect(symbol(tab, "Fern")).to_have_accessible_name("Sync paused")
    expect(symbol(tab, "Twin")).to_be_hidden()
    assert here.run("pause", here.folder / "Twin" / "Twin" / "Moss.color").returncode == 0
    expect(symbol(tab, "Twin")).to_have_accessible_name("Inside: Sync paused")


@pytest.mark.parametrize("form", FORMS)
def test_no_violations_where_folders_have_signs(two, open_tab, form):
    fill_folders(two)
    here = two.devices[1]
    two.hub.kill()
    wait_for(lambda: not here.is_in_step, 20, lambda: here.said)
    (here.folder / "Waiting" / "Slate.color").write_text("1,2,3\n")
    tab = open_tab(two.start_app(), **FORMS[form])

    def expect_signs():
        # Not while some of them are still to come: each moves what is beside it.
        for title, state in (("Away", "Not on this device"), ("Disputed", "Versions in conflict"),
                             ("Waiting", "Waiting to sync")):
            expect(symbol(tab, title)).to_have_accessible_name(f"Inside: {state}")

    expect_signs()
    seen = looker(tab, f"{form}-folder-signs")
    seen("icons")
    tab.page.keyboard.press("Alt+2")
    tab.page.get_by_role("grid").wait_for()
    expect_signs()
    seen("list")
    choose(tab, "Disputed", "Sync Status")
    expect(tab.page.locator(".status-lead")).to_have_text("Inside: Versions in conflict")
    expect(tab.page.locator(".status-causes li").last).to_be_visible()
    seen("status")


NAMES = [f"Leaf {number:02}" for number in range(24)]


def fill(two):
    for number, name in enumerate(NAMES):
        (two.devices[0].folder / f"{name}.color").write_text(f"{number},{number},99\n")
    two.settle()


def remove_all(device):
    """All at once for who keeps the folder in step: else some would have gone before it is seen how many there are."""
    with device.stopped():
        for name in NAMES:
            (device.folder / f"{name}.color").unlink()


def large_change(tab):
    return tab.page.get_by_role("region", name="Large change")


def answer(tab, choice):
    large_change(tab).get_by_role("button", name="Decide").click()
    dialog = tab.page.get_by_role("alertdialog", name="Is this large change meant?")
    expect(dialog).to_contain_text("Restore point: entry ")
    dialog.get_by_role("button", name=choice).click()
    expect(dialog).to_be_hidden()


def choose_more(tab, entry):
    """Chooses an entry of the menu “More” once that has it."""
    chosen = tab.page.get_by_role("menuitem", name=entry)

    def is_offered():
        tab.page.get_by_role("button", name="More").click()
        tab.page.get_by_role("menuitem").first.wait_for()
        if chosen.is_visible():
            return True
        tab.page.keyboard.press("Escape")
        return False

    wait_for(is_offered, 20, f"no “{entry}”")
    chosen.click()


def test_a_large_change_is_decided_where_the_documents_are(two, open_tab):
    there, here = two.devices
    tab = open_tab(two.start_app())
    fill(two)
    remove_all(here)
    bar = large_change(tab)
    expect(bar).to_contain_text("A large change waits for you: 24 of 24 items were removed or replaced here.")
    assert len(list(there.folder.glob("*.color"))) == 24
    # One can look first, and put it off.
    bar.get_by_role("button", name="Decide").click()
    dialog = tab.page.get_by_role("alertdialog")
    expect(dialog.get_by_role("button", name="Later")).to_be_focused()
    tab.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(bar).to_be_visible()
    answer(tab, "Put It Back")
    expect(bar).to_be_hidden()
    expect(tab.page.locator(".item")).to_have_count(24)
    two.settle()
    assert len(list(there.folder.glob("*.color"))) == 24


def test_a_large_change_that_has_gone_on_is_gone_back_from(two, open_tab):
    there, here = two.devices
    assert there.run("decide", there.folder, "--brake", "off").returncode == 0
    tab = open_tab(two.start_app())
    fill(two)
    remove_all(there)
    bar = large_change(tab)
    expect(bar).to_contain_text(re.compile(r"A large change waits for you: \d+ of \d+ items were removed or replaced on "
                                           "another device."))
    # In folders of the container, too.
    (here.folder / "Palettes").mkdir()
    tab.item("Palettes").dblclick()
    expect(tab.page.get_by_role("heading", name="Palettes")).to_be_visible()
    expect(bar).to_be_visible()
    answer(tab, "Let It Happen")
    expect(bar).to_be_hidden()
    two.settle()
    assert list(here.folder.glob("*.color")) == []
    (there.folder / "Leaf 05.color").write_text("5,5,5\n")
    two.settle()
    choose_more(tab, "Go Back to Before the Large Change")
    dialog = tab.page.get_by_role("alertdialog", name="Go back to before the large change?")
    expect(dialog).to_contain_text("The 24 items that it removed or replaced become what they were before")
    dialog.get_by_role("button", name="Go Back").click()
    expect(tab.page.get_by_role("region", name="Notices")).to_contain_text("24 items come back")
    wait_for(lambda: len(list(there.folder.glob("*.color"))) == 25, 20, lambda: here.said)
    # It has a name of its own, as the one that came since has that.
    assert (there.folder / "Leaf 05.color").read_text() == "5,5,5\n"
    two.settle()


def test_a_decision_that_somebody_else_makes_ends_the_question(two, open_tab):
    _, here = two.devices
    tab = open_tab(two.start_app())
    fill(two)
    remove_all(here)
    large_change(tab).get_by_role("button", name="Decide").click()
    dialog = tab.page.get_by_role("alertdialog")
    expect(dialog).to_contain_text("24 of 24 items were removed or replaced on this device")
    assert here.run("decide", here.folder, "--put-back").returncode == 0
    expect(dialog).to_be_hidden()
    expect(large_change(tab)).to_be_hidden()
    expect(tab.page.locator(".item")).to_have_count(24)
    two.settle()
    # Where nobody keeps the folder in step, nobody could carry out what is decided.
    remove_all(here)
    expect(large_change(tab)).to_be_visible()
    here.kill()
    expect(large_change(tab)).to_be_hidden()
    here.start()
    expect(large_change(tab)).to_be_visible()


def test_a_decision_is_about_what_was_shown(two, open_tab):
    _, here = two.devices
    tab = open_tab(two.start_app())
    fill(two)
    remove_all(here)
    expect(large_change(tab)).to_be_visible()
    tab.page.evaluate("""() => document.querySelector('document-browser').scene
        .perform('browser.decide', { choice: 'goOn', changes: ['elsewhere-1'] })""")
    expect(tab.page.get_by_role("alertdialog", name="This question has gone")).to_be_visible()
    tab.page.keyboard.press("Escape")
    expect(large_change(tab)).to_be_visible()


@pytest.mark.parametrize("form", FORMS)
def test_no_violations_where_a_large_change_waits(two, open_tab, form):
    _, here = two.devices
    (here.folder / "Notes.txt").write_text("some text")
    tab = open_tab(two.start_app(), **FORMS[form])
    fill(two)
    remove_all(here)
    expect(large_change(tab)).to_contain_text("24 of 25 items")
    seen = looker(tab, f"{form}-large-change")
    seen("bar")
    large_change(tab).get_by_role("button", name="Decide").click()
    expect(tab.page.get_by_role("alertdialog")).to_be_visible()
    seen("question")
    tab.page.get_by_role("alertdialog").get_by_role("button", name="Let It Happen").click()
    expect(large_change(tab)).to_be_hidden()
    choose_more(tab, "Go Back to Before the Large Change")
    expect(tab.page.get_by_role("alertdialog")).to_be_visible()
    seen("back")
