"""What the app says to a tab, held up on its way."""

import re

from waiting import until


class HeldLine:
    """The way from the app to the one tab of a browser context."""

    def __init__(self, context):
        self.context = context
        self._page_side = None
        self._held = []
        self._has_greeted = self._holds = False
        self._lets_through = None
        context.route_web_socket(re.compile("/live"), self._connected)

    def _connected(self, page_side):
        self._page_side = page_side
        page_side.connect_to_server().on_message(self._said)

    def _said(self, message):
        self._has_greeted = self._has_greeted or '"hello"' in message
        if self._holds and not (self._lets_through and self._lets_through in message):
            self._held.append(message)
        else:
            self._page_side.send(message)

    def hold(self, tab, lets_through=None):
        """Holds up all from now on, but for what has this text in it; the tab shows a page before it is greeted."""
        self.until(tab, lambda: self._has_greeted)
        self._holds, self._lets_through = True, lets_through

    def wait_for(self, tab, part):
        """Comes back when something is held up that has this text in it."""
        self.until(tab, lambda: any(part in message for message in self._held))

    def until(self, tab, holds):
        """Waits for something that the tab or the app does; what they say to one another passes through here meanwhile."""
        # It does while the tab is asked something.
        until(lambda: tab.page.evaluate("true") and holds())

    def let_go(self):
        held, self._held, self._holds = self._held, [], False
        for message in held:
            self._page_side.send(message)

    def cut(self):
        """What is held up is lost with its connection; the page makes another."""
        self._held = []
        self.let_go()
        self._page_side.close(code=4000)
