from pathlib import Path
from playwright.sync_api import expect
from devices import wait_for
from test_browser_sync import two, choose
OUT = Path("/tmp/ex/shots"); OUT.mkdir(exist_ok=True)

def test_shots(two, open_tab):
    there, here = two.devices
    (here.folder / "Fern.color").write_text("79,121,66\n")
    two.settle()
    app = two.start_app()
    there.end()
    (here.folder / "Moss.color").write_text("138,154,91\n")
    wait_for(lambda: here.is_in_step, 20, lambda: here.said)
    for form, options in (("desktop", {}), ("phone", {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2})):
        for scheme in ("light", "dark"):
            tab = open_tab(app, color_scheme=scheme, **options)
            for item in ("Fern", "Moss"):
                choose(tab, item, "Sync Status")
                sheet = tab.page.get_by_role("dialog", name=f"Sync status of “{item}”")
                expect(sheet.locator(".status-devices")).to_contain_text("the hub" , timeout=20000)
                tab.page.wait_for_timeout(400)
                tab.page.screenshot(path=str(OUT / f"{form}-{scheme}-{item}.png"))
                tab.page.keyboard.press("Escape")
                expect(sheet).to_be_hidden()
