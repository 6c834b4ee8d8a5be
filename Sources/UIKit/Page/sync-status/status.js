import { openDialog } from '../app-dialog/dialogs.js';
import { h, keep, setText } from '../dom.js';
import { strings } from '../strings.js';
import { syncPicture, syncWords } from './symbol.js';

/** Shows why an item is as it is, for as long as the scene says so, and follows what becomes of it. */
export class SyncStatus {
  #scene;
  #actions;
  /** @type {HTMLDialogElement | null} */
  #dialog = null;
  #item = '';
  #drawn = '';

  /**
   * @param {import('../scene.js').Scene} scene
   * @param {import('../document-browser/actions.js').ItemActions} actions
   */
  constructor(scene, actions) {
    this.#scene = scene;
    this.#actions = actions;
    scene.store.listen((touched) => {
      if (touched.has('browser') || touched.has('items')) this.#update();
    });
    this.#update();
  }

  #update() {
    const explained = this.#scene.store.browser?.explained;
    if (!explained || explained.item !== this.#item) this.#close();
    if (!explained) return;
    if (!this.#dialog) this.#open(explained);
    this.#draw(explained, this.#scene.store.items.get(explained.item));
  }

  #open(explained) {
    this.#item = explained.item;
    this.lead = h('p.status-lead', {});
    this.causes = h('ol.status-causes', { 'aria-label': strings.syncCauses });
    this.next = h('p', {});
    this.devices = h('div', {});
    this.where = h('section.status-devices', { hidden: true }, h('h3', {}, strings.syncDevices), this.devices);
    this.help = h('button.secondary', { type: 'button', hidden: true });
    // What changes by itself is read out.
    const body = h('div.status', { 'aria-live': 'polite' }, this.lead, this.causes,
      h('section.status-next', {}, h('h3', {}, strings.syncNext), this.next, this.help), this.where);
    const away = () => {
      this.#close();
      this.#scene.perform('browser.explained');
    };
    this.#dialog = openDialog({
      title: strings.syncStatusOf(explained.title),
      body,
      actions: [{ title: strings.close, style: 'cancel' }],
      choose: away,
    });
    this.#dialog.classList.add('is-status');
  }

  #close() {
    this.#dialog?.close();
    this.#dialog = null;
    this.#item = this.#drawn = '';
  }

  #draw(explained, item) {
    const sync = item?.sync;
    const state = explained.answered
      ? (sync?.state ?? (explained.settled ? 'settled' : 'waiting')) : 'unknown';
    const drawn = JSON.stringify([explained, sync]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.lead.dataset.state = state;
    this.lead.replaceChildren(syncPicture(state, sync?.percent),
      h('span', {}, (explained.answered && sync && syncWords(sync)) || strings.sync[state]));
    keep(this.causes, explained.causes, (cause) => cause, (cause) => h('li', {}, cause));
    this.causes.hidden = explained.causes.length === 0;
    setText(this.next, explained.next);
    keep(this.devices, explained.devices, (sentence) => sentence, (sentence) => h('p', {}, sentence));
    this.where.hidden = explained.devices.length === 0;
    this.#offerHelp(state, item);
  }

  /** The one thing that helps, where the page can do it. */
  #offerHelp(state, item) {
    const help = item && this.#actions.helpFor(state, item);
    this.help.hidden = !help;
    if (!help) return;
    setText(this.help, help.title);
    this.help.onclick = () => {
      if (help.closes) this.#dialog?.querySelector('.dialog-action')?.click();
      help.run();
    };
  }
}
