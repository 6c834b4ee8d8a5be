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
    const state = this.#state(explained, sync);
    const drawn = JSON.stringify([explained, sync]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.lead.dataset.state = state;
    this.lead.replaceChildren(syncPicture(state, sync?.percent),
      h('span', {}, (sync?.state === state && syncWords(sync)) || strings.sync[state]));
    keep(this.causes, explained.causes, (cause) => cause, (cause) => h('li', {}, cause));
    this.causes.hidden = explained.causes.length === 0;
    setText(this.next, explained.next);
    keep(this.devices, explained.devices, (sentence) => sentence, (sentence) => h('p', {}, sentence));
    this.where.hidden = explained.devices.length === 0;
    this.#offerHelp(state, item);
  }

  /** How the item stands: what is explained as not in step is not said to be, though the list has not heard of it yet. */
  #state(explained, sync) {
    if (!explained.answered) return 'unknown';
    if (sync && (sync.state !== 'settled' || explained.settled)) return sync.state;
    return explained.settled ? 'settled' : 'waiting';
  }

  /** What helps an item that is not in step, where that is something to be done here. */
  #helpFor(state, item) {
    const actions = this.#actions;
    if (item.sync?.inside) return { title: strings.open, closes: true, run: () => actions.open([item]) };
    if (state === 'remote') return { title: strings.downloadNow, run: () => actions.download([item]) };
    if (state === 'paused') return { title: strings.resumeSync, run: () => actions.resume([item]) };
    // What another app opens is decided there.
    if (state === 'conflict' && item.openable) {
      return { title: strings.openToDecide, closes: true, run: () => actions.open([item]) };
    }
    return null;
  }

  /** The one thing that helps, where the page can do it. */
  #offerHelp(state, item) {
    const help = item && this.#helpFor(state, item);
    this.help.hidden = !help;
    if (!help) return;
    setText(this.help, help.title);
    this.help.onclick = () => {
      if (help.closes) this.#dialog?.querySelector('.dialog-action')?.click();
      help.run();
    };
  }
}
