"""Starts the apps on folders of their own, and opens their page in a browser."""

import contextlib
import os
import pathlib
import queue
import re
import signal
import subprocess
import threading

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from agent_process import Agent
from held_line import HeldLine
from waiting import until

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("SHEAF_BIN", ROOT / ".build" / "debug")).resolve()
CHROMIUM = os.environ.get("SHEAF_CHROMIUM", "/usr/bin/chromium")
SCREENSHOTS = ROOT / ".build" / "screenshots"
# Of a machine that does much else meanwhile.
START_SECONDS = END_SECONDS = 60
EXTENSIONS = {"Color": "color", "Scrapbook": "scrapbook"}

expect.set_options(timeout=60_000)


class App:
    """A running app, and the folder whose documents it shows."""

    def __init__(self, name, folder, state, environment=None):
        self.name = name
        self.environment = environment or {}
        self.documents = folder
        self.extension = EXTENSIONS[name]
        self.state = state
        self._port = 0
        self._process = None
        self.link = None
        self.output = []

    def start(self, *files):
        """Starts the process, with files to open."""
        self._process = subprocess.Popen(
            [*self._command, "--port", str(self._port), *map(str, files)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=self._environment)
        links = queue.Queue()
        threading.Thread(target=self._listen, args=(self._process.stdout, links), daemon=True).start()
        try:
            self.link = links.get(timeout=START_SECONDS)
        except queue.Empty:
            self.kill()
            raise AssertionError("no link was printed, only:\n" + "".join(self.output)) from None
        self._port = int(re.search(r":(\d+)/", self.link)[1])
        return self

    @property
    def _command(self):
        binary = BINARIES / self.name
        assert binary.exists(), f"{binary} is missing: build it, or set SHEAF_BIN"
        return [str(binary), "--documents", str(self.documents)]

    @property
    def _environment(self):
        # The versions are kept apart from those of whoever runs the tests. What a killed app leaves goes with its test.
        temporary = self.state / "temporary"
        temporary.mkdir(parents=True, exist_ok=True)
        own = dict(
            XDG_STATE_HOME=str(self.state), SHEAF_VAULT=str(self.state / "vault"),
            XDG_CACHE_HOME=str(self.state / "cache"), SHEAF_TYPES=str(self.state / "types"), TMPDIR=str(temporary))
        return {**os.environ, **own, **self.environment}

    def open(self, *files):
        """Starts a second process with files, which hands them over and ends; gives what it said."""
        done = subprocess.run(
            [*self._command, *map(str, files)],
            capture_output=True, text=True, env=self._environment, timeout=START_SECONDS)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _listen(self, stream, links):
        for line in stream:
            self.output.append(line)
            found = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line)
            if found:
                links.put(found[0])

    def kill(self):
        """Ends the process as a power cut would."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    @contextlib.contextmanager
    def stopped(self):
        """Has it do nothing meanwhile: each of its threads has stopped before this goes on."""
        self.signal(signal.SIGSTOP)
        try:
            os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)
            yield
        finally:
            self.signal(signal.SIGCONT)

    def signal(self, number):
        self._process.send_signal(number)

    def end(self, number):
        """Asks the process to end, and gives the status with which it does."""
        self.signal(number)
        return self._process.wait(timeout=END_SECONDS)

    def stop(self):
        if self._process and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=END_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

    def names(self):
        """What is in the folder on disk, but for what is hidden."""
        return sorted(entry.name for entry in self.documents.iterdir() if not entry.name.startswith("."))


class Tab:
    """One tab on an app's page, with what a person does there."""

    def __init__(self, page: Page, app: App):
        self.page = page
        self.app = app

    def open(self):
        self.page.goto(self.app.link)
        # The browser, or the document that was open when the app ended.
        self.toolbar.or_(self.done).first.wait_for()
        return self

    # What is there

    @property
    def toolbar(self):
        return self.page.get_by_role("toolbar", name="Documents toolbar")

    @property
    def selected(self):
        return self.page.get_by_role("toolbar", name="Selected items")

    def item(self, title):
        """A document or folder, in either view."""
        exactly = re.compile(rf"^{re.escape(title)}(,|$| )")
        page = self.page
        return page.get_by_role("option", name=exactly).or_(
            page.get_by_role("row").filter(has=page.locator(".item-title", has_text=re.compile(
                rf"^{re.escape(title)}$"))))

    def titles(self):
        return self.page.locator(".item .item-title").all_text_contents()

    @property
    def title(self):
        """The name of what is in front: the folder or the opened document."""
        return self.page.get_by_role("heading", level=1)

    @property
    def editor(self):
        return self.page.frame_locator("iframe.is-shown")

    @property
    def done(self):
        return self.page.locator("document-view.is-front").get_by_role("button", name="Done", exact=True)

    @property
    def document_toolbar(self):
        return self.page.get_by_role("toolbar", name="Document toolbar")

    @property
    def undo(self):
        return self.document_toolbar.get_by_role("button", name=re.compile("^Undo"))

    @property
    def redo(self):
        return self.document_toolbar.get_by_role("button", name=re.compile("^Redo"))

    def expect_saved(self):
        """What the editor shows is on disk, and the page says so.

        The page alone does not tell: it says so too while what was just entered is on its way to the app.
        """
        until(lambda: self.shown in self.on_disk())
        expect(self.page.locator("document-view.is-front .state-line")).to_have_text("Saved")

    @property
    def shown(self):
        """What the editor shows, as it stands in the file."""
        if self.app.name == "Scrapbook":
            return self.editor.get_by_role("textbox", name="Text").input_value()
        code = self.editor.get_by_label("Hex").input_value()
        return "{},{},{}\n".format(*bytes.fromhex(code.removeprefix("#")))

    def on_disk(self):
        """What is in the documents of the title in front; a scrapbook without a text shows an empty one.

        The app saves meanwhile: what it replaces is gone when its turn comes.
        """
        name, texts = f"{self.title.inner_text()}.{self.app.extension}", []
        for folder, folders, files in os.walk(self.app.documents):
            if name not in folders + files:
                continue
            place = pathlib.Path(folder) / name
            try:
                texts.append((place / "text.txt" if name in folders else place).read_text())
            except FileNotFoundError:
                texts.append("")
        return texts

    def expect_opened(self):
        self.done.wait_for()
        expect(self.editor.get_by_role("textbox").first).to_be_editable()

    # What is done

    def create(self):
        self.page.get_by_role("button", name=re.compile("^New (Color|Scrapbook)")).first.click()
        self.expect_opened()

    def open_document(self, title):
        self.item(title).click()
        self.page.keyboard.press("Enter")
        self.expect_opened()

    def close_document(self):
        self.done.click()
        expect(self.done).to_be_hidden()

    def choose_from_menu(self, title, entry):
        self.item(title).click(button="right")
        self.page.get_by_role("menuitem", name=entry, exact=True).click()

    def screenshot(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{self.app.name}-{name}.png", animations="disabled")


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def start_app(tmp_path):
    """Starts an app by name on a new, empty folder."""
    apps = []

    def start(name, prepare=None, files=(), folder=None, environment=None):
        folder = folder or tmp_path / "documents"
        folder.mkdir(exist_ok=True)
        if prepare:
            prepare(folder)
        app = App(name, folder, tmp_path / "state", environment).start(*files)
        apps.append(app)
        return app

    yield start
    for app in apps:
        app.stop()


@pytest.fixture
def open_tab(chromium):
    """Opens a tab on an app; what the page's scripts complain about fails the test."""
    contexts = []
    complaints = []

    def open(app, *, context=None, **options):
        if context is None:
            context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
            contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return Tab(page, app).open()

    yield open
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def held_line(chromium):
    """A browser context for one tab, and the way of the app's messages to it."""
    context = chromium.new_context()
    yield HeldLine(context)
    context.close()


@pytest.fixture
def agent(tmp_path):
    """An agent, which the apps use that are started in its environment."""
    with Agent(BINARIES, tmp_path / "run") as agent:
        yield agent


@pytest.fixture
def color(start_app, open_tab):
    return open_tab(start_app("Color"))


@pytest.fixture
def scrapbook(start_app, open_tab):
    return open_tab(start_app("Scrapbook"))
