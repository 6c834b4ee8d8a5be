"""Measures how long it takes from a double click on a document to its editor on the screen.

    click.py --binary FILE --work FOLDER --editor FOLDER --output FILE

Beside it, in turn: the same editor in a frame that a page of its own adds at the click, from a server that
does nothing but hand out files. That is what the browser itself takes.
"""

import argparse
import functools
import http.server
import json
import os
import pathlib
import queue
import re
import shutil
import statistics
import subprocess
import threading

from playwright.sync_api import sync_playwright

RUNS = 25
WARM_UP = 5
START_SECONDS = 20
GOAL_MILLISECONDS = 150
CHROMIUM = os.environ.get("SHEAF_CHROMIUM", "/usr/bin/chromium")

# In each frame: tells when a click came, when the editor's content was painted, when its frame was shown.
WATCH = """
(() => {
  const clock = () => performance.timeOrigin + performance.now();
  const painted = (tell) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = tell;
    channel.port2.postMessage(null);
  });
  if (window === top) {
    window.marks = {};
    addEventListener('pointerdown', (event) => { marks.down = performance.timeOrigin + event.timeStamp; }, true);
    addEventListener('message', ({ data }) => {
      if (data?.benchPainted) (marks.painted ??= {})[data.benchPainted] = data.at;
    });
    new MutationObserver(() => {
      if (marks.shown || !document.querySelector('iframe.is-shown.is-loaded')) return;
      marks.shown = true;
      painted(() => { marks.shown = clock(); });
    }).observe(document, { subtree: true, attributes: true, attributeFilter: ['class'] });
  } else {
    let told = null;
    new MutationObserver(() => {
      const code = document.getElementById('code')?.textContent;
      if (!code || code === told || code === '#000000') return;
      told = code;
      painted(() => top.postMessage({ benchPainted: code, at: clock() }, '*'));
    }).observe(document, { subtree: true, childList: true, characterData: true });
  }
})();
"""

# The page of the peer: one frame, which draws the color once it has loaded.
PEER_PAGE = """<!doctype html><button>Open</button><script>
document.querySelector('button').onclick = () => {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.style = 'width: 100%; height: 700px';
  frame.onload = () => frame.classList.add('is-shown', 'is-loaded');
  frame.src = 'peer-editor.html#' + document.body.dataset.color;
  document.body.append(frame);
};
</script>"""
# The bridge that the app's server adds, as far as the editor needs it here.
PEER_BRIDGE = """<script>
window.webkit = { messageHandlers: { color: { postMessage() {} } } };
addEventListener('load', () => {
  const [red, green, blue] = location.hash.slice(1).split(',').map(Number);
  show({ red, green, blue, editable: true });
});
</script>"""


def main():
    parser = argparse.ArgumentParser()
    for name in ("--binary", "--work", "--editor", "--output"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    options = parser.parse_args()
    colors = [(40 + number, 100, 200) for number in range(RUNS + WARM_UP)]
    documents = make_documents(options.work / "documents", colors)
    peer = serve_peer(options.work / "peer", options.editor)
    app, link = start(options.binary, documents, options.work / "state")
    try:
        own, its = measure(link, f"http://127.0.0.1:{peer.server_port}/", colors)
    finally:
        app.terminate()
        app.wait()
        peer.shutdown()
        shutil.rmtree(options.work)
    options.output.write_text(json.dumps([figure(own, its)], indent=2, ensure_ascii=False))


def make_documents(folder, colors):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, color in enumerate(colors):
        (folder / f"{name_of(number)}.color").write_text("{},{},{}\n".format(*color))
    return folder


def name_of(number):
    return f"Shade {number:02}"


def serve_peer(folder, editor):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(editor, folder)
    page = (folder / "index.html").read_text()
    (folder / "peer-editor.html").write_text(page.replace("</body>", PEER_BRIDGE + "</body>"))
    (folder / "index.html").write_text(PEER_PAGE)

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Handler, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def start(binary, documents, state):
    app = subprocess.Popen(
        [str(binary), "--port", "0", "--documents", str(documents)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, XDG_STATE_HOME=str(state), SHEAF_VAULT=str(state / "vault")))
    links = queue.Queue()

    def listen():
        for line in app.stdout:
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
            if found:
                links.put(found[0])

    threading.Thread(target=listen, daemon=True).start()
    try:
        return app, links.get(timeout=START_SECONDS)
    except queue.Empty:
        app.kill()
        raise SystemExit(f"{binary} printed no link in {START_SECONDS} s") from None


def measure(link, peer, colors):
    """Opens each document once, and the peer's editor after each; the first few fill caches."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        pages = []
        for address in (link, peer):
            page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
            page.add_init_script(WATCH)
            page.goto(address)
            pages.append(page)
        own, its = [], []
        for number, color in enumerate(colors):
            milliseconds = open_own(pages[0], number, color)
            bare = open_peer(pages[1], color)
            if number >= WARM_UP:
                own.append(milliseconds)
                its.append(bare)
        browser.close()
    return own, its


def open_own(page, number, color):
    page.bring_to_front()
    item = page.locator(".item", has_text=name_of(number))
    item.scroll_into_view_if_needed()
    page.evaluate("marks = {}")
    item.dblclick()
    elapsed = wait_for_paint(page, color)
    page.locator("document-view.is-front button.done").click()
    page.locator("document-view").wait_for(state="detached")
    return elapsed


def open_peer(page, color):
    page.bring_to_front()
    page.evaluate("color => { marks = {}; document.body.dataset.color = color }", ",".join(map(str, color)))
    page.get_by_role("button", name="Open").click()
    elapsed = wait_for_paint(page, color)
    page.evaluate("document.querySelector('iframe').remove()")
    return elapsed


def wait_for_paint(page, color):
    code = "#{:02x}{:02x}{:02x}".format(*color)
    page.wait_for_function("code => marks.shown > 1 && marks.painted?.[code]", arg=code, polling=50)
    return page.evaluate("code => Math.max(marks.shown, marks.painted[code]) - marks.down", code)


def figure(own, its):
    value, peer = statistics.median(own), statistics.median(its)
    quartiles = statistics.quantiles(own, n=4)
    return {
        "id": "click",
        "what": "second press on a document to the first paint of its editor with the content, warm",
        "value": value, "unit": "ms", "spread": quartiles[2] - quartiles[0], "runs": len(own),
        "peer": "the same editor added as a frame by a page of its own", "peerValue": peer,
        "ratio": value / peer, "goal": f"≤ {GOAL_MILLISECONDS} ms", "met": value <= GOAL_MILLISECONDS,
    }


if __name__ == "__main__":
    main()
