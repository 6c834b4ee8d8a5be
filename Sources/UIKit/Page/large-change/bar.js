import { openDialog } from '../app-dialog/dialogs.js';
import { h, setText } from '../dom.js';
import { icon } from '../icons/icons.js';
import { words } from './words.js';

/** Says above the list that a large change waits for a person, and asks what is to become of it. */
export class LargeChangeBar {
  #browser;
  /** @type {HTMLDialogElement | null} */
  #dialog = null;
  #drawn = '';

  /** @param {import('../document-browser/element.js').DocumentBrowser} browser */
  constructor(browser) {
    this.#browser = browser;
    this.text = h('span', {});
    this.decide = h('button.text-button', {
      type: 'button', 'aria-haspopup': 'dialog', onclick: () => this.#open(),
    }, words.largeChangeDecide);
    this.bar = h('section.large-change', { 'aria-label': words.largeChange, hidden: true },
      icon('error'), this.text, this.decide);
    browser.above.append(this.bar);
    browser.scene.store.listen((touched) => {
      if (touched.has('browser')) this.#update();
    });
    this.#update();
  }

  get #waiting() { return this.#browser.scene.store.browser?.largeChanges ?? []; }

  #update() {
    const waiting = this.#waiting;
    const text = waiting.map((change) => words.largeChangeWaits(change)).join(' ');
    if (waiting.length > 0) {
      setText(this.text, text);
      // How it grows is not read out.
      if (this.bar.hidden) this.#browser.scene.announce(text);
    } else {
      // Somebody has decided.
      this.#close();
      if (this.bar.contains(document.activeElement)) this.#browser.resume();
    }
    this.bar.hidden = waiting.length === 0;
    if (this.#dialog) this.#draw();
  }

  #open() {
    this.details = h('div.large-change-details', { 'aria-live': 'polite' });
    this.#drawn = '';
    this.#draw();
    this.#dialog = openDialog({
      title: words.largeChangeTitle,
      body: this.details,
      isAlert: true,
      actions: [
        { title: words.largeChangeLater, style: 'cancel' },
        { title: words.largeChangeGoOn, style: 'destructive', choice: 'goOn' },
        { title: words.largeChangePutBack, style: 'default', choice: 'putBack' },
      ],
      choose: ({ choice }) => {
        const changes = this.#waiting.map(({ id }) => id);
        this.#close();
        if (choice) this.#browser.scene.perform('browser.decide', { choice, changes });
      },
    });
  }

  #draw() {
    const sentences = [
      ...this.#waiting.flatMap((change) => words.largeChangeDetails(change)), ...words.largeChangeChoices,
    ];
    if (sentences.join() === this.#drawn) return;
    this.#drawn = sentences.join();
    this.details.replaceChildren(...sentences.map((sentence) => h('p', {}, sentence)));
  }

  #close() {
    this.#dialog?.close();
    this.#dialog = null;
  }
}
