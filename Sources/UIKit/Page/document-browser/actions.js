import { toolButton } from '../controls.js';
import { h, keep, setText } from '../dom.js';
import { strings } from '../strings.js';

/** What can be done with items of the browser. Shows the outcome at once, and takes it back if refused. */
export class ItemActions {
  #scene;
  #list;
  /** @type {Set<Promise<any>>} */
  #underWay = new Set();
  /** Items that are shown under a name they have not got yet, each with what it will be called by then. */
  #renamings = new Map();
  /** @type {string[]} */
  #cutIds = [];

  /**
   * @param {import('../scene.js').Scene} scene
   * @param {import('../item-list/element.js').ItemList} list
   */
  constructor(scene, list) {
    this.#scene = scene;
    this.#list = list;
  }

  /** Whether changes that arrive now may be the person's own. */
  get isBusy() { return this.#underWay.size > 0; }
  get canPaste() { return this.#cutIds.length > 0; }
  get #browser() { return this.#scene.store.browser; }

  enter(folder) { return this.#do('browser.enter', { folder }); }
  create() { return this.#do('browser.create'); }
  undo() { return this.#takeBack('undo'); }
  redo() { return this.#takeBack('redo'); }
  tapBar(bar) { return this.#do('bar.tap', { of: this.#browser.id, bar: bar.id }); }

  open(items) {
    if (items.length === 0) return undefined;
    const [first] = items;
    if (items.length === 1 && first.kind === 'folder') return this.enter(first.id);
    const openable = items.filter((item) => item.openable && item.kind !== 'folder');
    if (openable.length === 0) return this.#scene.notice({ text: strings.notOpenable(first.title) });
    const chosen = this.#browser.allowsMultiple ? openable : openable.slice(0, 1);
    const act = this.#do('browser.open', { items: chosen.map((item) => item.id) });
    return this.#showFetching(this.#awaited(chosen), act);
  }

  /** The items whose contents, or those of something in them, have to come before anything else is done to them. */
  #awaited(items) {
    const isAway = ({ state, here, inside }) => !here || (inside && ['remote', 'downloading'].includes(state));
    return items.filter((item) => item.sync && isAway(item.sync));
  }

  /** Shows how far contents have come that an act waits for, and lets the person call it off. */
  async #showFetching(items, act) {
    if (items.length === 0) return act;
    const { store } = this.#scene;
    let ids = items.map((item) => item.id);
    Promise.all(ids.map((id) => this.#nameOf(id))).then((names) => { ids = names; });
    const text = items.length === 1
      ? strings.downloading(items[0].title) : strings.downloadingMany(items.length);
    const cancel = () => this.#do('browser.cancel', { items: ids });
    const progress = { done: 0, all: 100 * ids.length, cancel, end: () => {} };
    // What is here at once needs no word.
    const timer = setTimeout(() => this.#scene.notice({ text, progress }), 300);
    const stop = store.listen((touched) => {
      if (!touched.has('items')) return;
      const share = (sync) => (sync?.here && !sync.inside ? 100 : sync?.percent ?? 0);
      progress.done = ids.reduce((sum, id) => sum + share(store.items.get(id)?.sync), 0);
      progress.update?.(text);
    });
    const answer = await act;
    clearTimeout(timer);
    stop();
    progress.end();
    return answer;
  }

  explain(item) { return this.#do('browser.explain', { items: [item.id] }); }
  evict(items) { return this.#do('browser.evict', { items: items.map((item) => item.id) }); }
  download(items) { return this.#do('browser.download', { items: items.map((item) => item.id) }); }

  pause(items) { return this.#do('browser.pause', { items: items.map((item) => item.id) }); }
  resume(items) { return this.#do('browser.resume', { items: items.map((item) => item.id) }); }

  async newFolder() {
    const taken = new Set(this.#list.items.map((item) => item.title));
    let name = strings.newFolderName;
    for (let number = 2; taken.has(name); number += 1) name = strings.newFolderNameNext(number);
    const answer = await this.#do('browser.folder', { name });
    if (answer?.item !== undefined) this.#list.chooseWhenThere([answer.item], { renames: true });
  }

  async rename(id, title) {
    const settle = this.#scene.store.guessTitle(id, title);
    const former = this.#nameOf(id);
    const act = this.#do('browser.rename', { item: id, name: title });
    const renamed = act.then((answer) => answer?.item ?? former);
    this.#renamings.set(id, renamed);
    const answer = await act;
    settle(answer !== undefined);
    const name = await renamed; // of a renaming before this one, where this one was refused
    this.#forgetRenaming(id, renamed, name);
    if (this.#cutIds.includes(id)) this.#setCut(this.#cutIds.map((cut) => (cut === id ? name : cut)));
    if (answer?.item !== undefined) this.#list.chooseWhenThere([name]);
  }

  /** The list hears of a new name after the answer does; what is chosen in it until then bears the former one. */
  #forgetRenaming(id, renamed, name) {
    const { store } = this.#scene;
    const forget = () => {
      if (name !== id && store.items.has(id)) return;
      stop();
      if (this.#renamings.get(id) === renamed) this.#renamings.delete(id);
    };
    const stop = store.listen(forget);
    forget();
  }

  async duplicate(items) {
    if (items.length === 0) return;
    const act = this.#do('browser.duplicate', { items: items.map((item) => item.id) });
    const answer = await this.#showFetching(this.#awaited(items), act);
    if (answer?.items) this.#list.chooseWhenThere(answer.items);
  }

  async trash(items) {
    if (items.length === 0) return;
    const ids = items.map((item) => item.id);
    const awaited = this.#awaited(items);
    // What has to come first is not gone yet, and it may be called off.
    const settle = awaited.length > 0 ? () => {} : this.#scene.store.guessGone(ids);
    const answer = await this.#showFetching(awaited, this.#do('browser.trash', { items: ids }));
    settle(answer !== undefined);
    if (answer === undefined || answer.calledOff) return;
    this.#scene.notice({
      text: items.length === 1 ? strings.trashed(items[0].title) : strings.trashedMany(items.length),
      act: { title: strings.undo, run: () => this.#takeBack('undo', answer.deed) },
    });
  }

  cut(items) {
    this.#setCut(items.map((item) => item.id));
    if (items.length > 0) this.#scene.announce(strings.cutAnnounced(items.length));
  }

  async paste() {
    if (this.#cutIds.length === 0) return;
    const items = this.#cutIds;
    this.#setCut([]);
    const answer = await this.#do('browser.move', { items, folder: this.#browser.folder });
    if (answer?.items) this.#list.chooseWhenThere(answer.items);
  }

  /** Puts into the bar what one reaches for most with these items. */
  fillBar(bar, items, { close, more }) {
    const has = items.length > 0;
    const isOne = items.length === 1;
    const canOpen = items.some((item) => item.openable || item.kind === 'folder');
    const parts = [
      { key: 'close', icon: 'close', title: strings.selectNone, run: close },
      { key: 'count', text: strings.selected(items.length) },
      canOpen && { key: 'open', title: strings.open, run: () => this.open(items) },
      { key: 'rename', icon: 'rename', title: strings.rename, isDisabled: !isOne,
        run: () => this.#list.beginRenaming(items[0].id) },
      { key: 'copy', icon: 'copy', title: strings.duplicate, isDisabled: !has,
        run: () => this.duplicate(items) },
      { key: 'trash', icon: 'trash', title: strings.trash, isDisabled: !has, run: () => this.trash(items) },
      ...this.customActions(items, 'bar').map((action) => ({ ...action, key: `own ${action.title}` })),
      { key: 'more', icon: 'more', title: strings.more, isDisabled: !has, run: more },
    ].filter(Boolean);
    keep(bar, parts, (part) => part.key, (part) => {
      if (part.text !== undefined) return h('span.count', {});
      const button = part.icon
        ? toolButton(part.icon, part.title, () => button.run(button))
        : h('button.text-button', { type: 'button', onclick: () => button.run(button) }, part.title);
      return button;
    }, (element, part) => {
      if (part.text !== undefined) return setText(element, part.text);
      element.run = part.run; // the items that it is about differ each time
      element.disabled = Boolean(part.isDisabled);
      return undefined;
    });
  }

  /** The app's own actions that fit all of these items. */
  customActions(items, place) {
    const fits = (action) => items.length > 0
      && (items.length === 1 || action.multiple)
      && items.every((item) => action.types.length === 0 || action.types.includes(item.type));
    return (this.#browser.actions ?? []).filter((action) => action[place] && fits(action)).map((action) => ({
      title: action.title,
      run: () => this.#do('browser.action', { action: action.id, items: items.map((item) => item.id) }),
    }));
  }

  #setCut(ids) {
    this.#cutIds = ids;
    this.#list.cut = new Set(ids);
    this.#list.refresh();
  }

  /** Undo means what was done last, also when the process is still at it. */
  async #takeBack(which, deed) {
    const isBusy = this.isBusy;
    await Promise.all(this.#underWay);
    if (!isBusy && !this.#browser[which]) return;
    await this.#do(`browser.${which}`, { deed });
    this.#scene.store.forgetGuesses();
  }

  async #do(name, args = {}) {
    const act = this.#isBeingRenamed(args) ? this.#doRenamed(name, args) : this.#scene.perform(name, args);
    this.#underWay.add(act);
    const answer = await act;
    this.#underWay.delete(act);
    return answer;
  }

  #isBeingRenamed({ item, folder, items = [] }) {
    return this.#renamings.size > 0 && [item, folder, ...items].some((id) => this.#renamings.has(id));
  }

  /** Does it to the items as they are called once those being renamed have their names. */
  async #doRenamed(name, { items, ...rest }) {
    const args = { ...rest };
    for (const key of ['item', 'folder']) if (key in args) args[key] = await this.#nameOf(args[key]);
    if (items) args.items = await Promise.all(items.map((id) => this.#nameOf(id)));
    return this.#scene.perform(name, args);
  }

  async #nameOf(id) { return this.#renamings.get(id) ?? id; }
}
