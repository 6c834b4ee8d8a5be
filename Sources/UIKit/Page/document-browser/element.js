import { barButton, toolButton, updateToolButton } from '../controls.js';
import { h, isTextField, keep, rove, setAttributes, setText } from '../dom.js';
import { icon } from '../icons/icons.js';
import '../item-list/element.js';
import { Thumbnails } from '../item-list/thumbnails.js';
import { strings } from '../strings.js';
import { ItemActions } from './actions.js';
import { listenForDrops } from './drop-target.js';
import { browserKey } from './keys.js';

/** What the first screen does without. */
const parts = {
  menus: async () => (await import('./menus.js')).BrowserMenus,
  imports: async () => (await import('./imports.js')).Imports,
};

const loadKeyMap = () => import('./key-map.js');
const loadStatus = () => import('../sync-status/status.js');
const loadLargeChangeBar = () => import('../large-change/bar.js');

const remembered = (name, otherwise) => localStorage.getItem(`browser.${name}`) ?? otherwise;
const remember = (name, value) => localStorage.setItem(`browser.${name}`, value);

/** The documents and folders of one location: what is there, and everything one can do with it. */
export class DocumentBrowser extends HTMLElement {
  #folder;
  #awaitsItems = false;
  #status;
  #largeChange;
  #parts = {};
  #announcing = { added: 0, removed: 0, timer: 0 };

  /** @param {import('../scene.js').Scene} scene */
  attach(scene) {
    this.scene = scene;
    this.#build();
    this.actions = new ItemActions(scene, this.list);
    listenForDrops(this, (entries, files) => {
      this.#with('imports', (imports) => imports.takeDropped(entries, files));
    });
    this.list.thumbnails = new Thumbnails(scene);
    this.list.view = remembered('view', 'icons') === 'list' ? 'list' : 'icons';
    this.list.sort = {
      key: remembered('sort', 'name'), descending: remembered('descending', 'false') === 'true',
    };
    this.#listen();
    scene.store.listen((touched, details) => this.#update(touched, details));
  }

  /** Has those parts come that the first screen does without, before somebody needs one. */
  prepare() {
    const others = [loadKeyMap(), loadStatus(), loadLargeChangeBar(), import('../large-change/back.js')];
    return Promise.all([...Object.values(parts).map((load) => load()), ...others]);
  }

  /** Does something with such a part. */
  async #with(name, use) {
    const Part = await this.scene.part(parts[name]);
    if (Part) use(this.#parts[name] ??= new Part(this));
  }

  /** Lets the person choose files to bring in, or a folder. */
  chooseFiles(options) { this.#with('imports', (imports) => imports.choose(options)); }

  /** Takes the keyboard back, after what was in front is gone. */
  resume() {
    if (this.list.items.length > 0) this.list.focusCurrent();
  }

  // MARK: Building

  #build() {
    this.crumbs = h('ol.crumbs', {});
    this.heading = h('h1', { tabindex: -1 });
    this.back = toolButton('back', '', () => this.#enterParent(), { class: 'back' });
    this.undo = toolButton('undo', strings.undo, () => this.actions.undo());
    this.redo = toolButton('redo', strings.redo, () => this.actions.redo());
    this.iconsView = toolButton('grid', strings.iconsView, () => this.setView('icons'));
    this.listView = toolButton('list', strings.listView, () => this.setView('list'));
    const opensMenu = { 'aria-haspopup': 'menu' };
    this.sortButton = toolButton('sort', strings.sortBy, () => {
      this.#with('menus', (menus) => menus.openSort(this.sortButton));
    }, opensMenu);
    this.import = toolButton('import', strings.importFiles, () => this.chooseFiles());
    this.newFolder = toolButton('newFolder', strings.newFolder, () => this.actions.newFolder());
    this.select = h('button.text-button.only-phone', {
      type: 'button', onclick: () => this.#setChoosing(true),
    }, strings.select);
    this.more = toolButton('more', strings.more, () => {
      this.#with('menus', (menus) => menus.openMore(this.more));
    }, opensMenu);
    this.create = h('button.primary', { type: 'button', onclick: () => this.actions.create() },
      icon('plus'), h('span.label', {}));
    this.leading = h('span.bars', {});
    this.trailing = h('span.bars', {});
    this.toolbar = h('div.tools', { role: 'toolbar', 'aria-label': strings.toolbar },
      h('span.group.only-wide', {}, this.undo, this.redo),
      h('span.group.views.only-wide', {}, this.iconsView, this.listView),
      h('span.group.only-wide', {}, this.sortButton, this.newFolder),
      h('span.group', {}, this.import, this.select, this.trailing, this.more), this.create);
    this.above = h('div', {});
    this.list = h('item-list', {});
    this.empty = this.#buildEmpty();
    this.selectionBar = h('div.selection-bar', {
      role: 'toolbar', 'aria-label': strings.selectionToolbar, hidden: true,
    });
    this.dropSign = h('div.drop-sign', { 'aria-hidden': 'true' }, h('p', {}));
    this.append(
      h('div.browser-bar', {}, h('div.place', {}, this.back,
        h('nav', { 'aria-label': strings.folderPath }, this.crumbs), this.heading, this.leading),
      this.toolbar),
      this.above, this.list, this.empty, this.selectionBar, this.dropSign);
    this.settleTools = rove(this.toolbar);
    this.settleSelection = rove(this.selectionBar);
  }

  #buildEmpty() {
    this.emptyText = h('p', {});
    this.emptyCreate = h('button.primary', { type: 'button', onclick: () => this.actions.create() });
    return h('section.empty', { hidden: true },
      h('div.empty-picture', {}, icon('document')),
      h('h2', {}, strings.emptyTitle), this.emptyText,
      h('div.empty-acts', {}, this.emptyCreate,
        h('button.secondary', { type: 'button', onclick: () => this.chooseFiles() },
          icon('import'), strings.importFiles)));
  }

  // MARK: Following the scene

  #update(touched, details) {
    const { browser } = this.scene.store;
    if (!browser) return;
    if (touched.has('browser')) this.#updateHeader(browser);
    if (touched.has('items') || touched.has('browser')) this.#updateItems(browser);
    if (details.put?.length || details.drop?.length) this.#announce(details);
    this.#updateSelection();
    if (browser.explained) this.#status ??= this.#makeStatus();
    if (browser.largeChanges?.length) this.#largeChange ??= this.#makeLargeChange();
  }

  async #makeStatus() {
    const part = await this.scene.part(loadStatus);
    if (!part) this.#status = undefined; // asked for again with the next change
    return part && new part.SyncStatus(this.scene, this.actions);
  }

  async #makeLargeChange() {
    const part = await this.scene.part(loadLargeChangeBar);
    if (!part) this.#largeChange = undefined; // asked for again with the next change
    return part && new part.LargeChangeBar(this);
  }

  #updateHeader(browser) {
    const parents = browser.path.slice(0, -1);
    const here = browser.path.at(-1)?.name ?? browser.title;
    setText(this.heading, here || strings.documents);
    this.back.hidden = parents.length === 0;
    if (parents.length > 0) updateToolButton(this.back, { label: strings.back(parents.at(-1).name) });
    keep(this.crumbs, parents, (crumb) => crumb.id, (crumb) => h('li', {},
      h('button.crumb', { type: 'button', onclick: () => this.actions.enter(crumb.id) }), icon('next')),
    (element, crumb) => setText(element.firstChild, crumb.name));
    this.crumbs.parentElement.hidden = parents.length === 0;
    updateToolButton(this.undo, {
      label: browser.undo ? strings.undoTitled(browser.undo) : strings.undo,
      enabled: Boolean(browser.undo), shortcut: 'Control+Z',
    });
    updateToolButton(this.redo, {
      label: browser.redo ? strings.redoTitled(browser.redo) : strings.redo,
      enabled: Boolean(browser.redo), shortcut: 'Control+Shift+Z',
    });
    const createTitle = browser.createTitle || strings.create;
    this.create.hidden = this.emptyCreate.hidden = !browser.canCreate;
    setText(this.create.lastChild, createTitle);
    setAttributes(this.create, { 'aria-label': createTitle });
    this.emptyCreate.replaceChildren(icon('plus'), createTitle);
    setText(this.emptyText, browser.canCreate ? strings.emptyCreate : strings.emptyImport);
    for (const [place, bars] of [[this.leading, browser.leading], [this.trailing, browser.trailing]]) {
      keep(place, bars ?? [], (bar) => `${bar.id} ${bar.icon} ${bar.title}`,
        (bar) => barButton(bar, () => this.actions.tapBar(bar)),
        (button, bar) => { button.disabled = !bar.enabled; });
    }
    this.#updateView();
    setText(this.dropSign.firstChild, strings.importHere(here));
  }

  #updateItems(browser) {
    const items = this.scene.store.shownItems();
    const from = this.#folder;
    if (from !== browser.folder) {
      this.list.selection.none();
      this.list.selection.current = null;
      this.list.scrollTop = 0;
      this.#folder = browser.folder;
    }
    this.list.hidden = items.length === 0;
    this.empty.hidden = items.length > 0;
    const here = browser.path.at(-1)?.name ?? browser.title;
    this.list.show(items, here || strings.documents);
    if (from !== undefined && from !== browser.folder) this.#arrived(from, browser.folder);
    else if (this.#awaitsItems && items.length > 0 && document.activeElement === this.heading) {
      this.list.focusCurrent();
    }
    this.#awaitsItems &&= items.length === 0;
  }

  /** After the folder changed: the keyboard is on the folder one came out of, or on the first item. */
  #arrived(from, folder) {
    const above = folder === '' ? '' : `${folder}/`;
    if (from !== folder && from.startsWith(above)) {
      this.list.chooseWhenThere([above + from.slice(above.length).split('/')[0]]);
    }
    // The items may come after the folder.
    this.#awaitsItems = this.list.items.length === 0;
    if (this.#awaitsItems) this.heading.focus();
    else this.list.focusCurrent();
    this.scene.announce(`${this.heading.textContent}, ${strings.itemCount(this.list.items.length)}`);
  }

  #updateView() {
    setAttributes(this.iconsView, { 'aria-pressed': String(this.list.view === 'icons') });
    setAttributes(this.listView, { 'aria-pressed': String(this.list.view === 'list') });
    this.settleTools();
  }

  /** The bar of the chosen items: there as soon as one is chosen, or while choosing on a phone. */
  #updateSelection() {
    const chosen = this.list.chosenItems;
    const isShown = this.list.isChoosing || chosen.length > 0;
    this.classList.toggle('is-choosing', this.list.isChoosing);
    this.classList.toggle('has-selection', isShown);
    this.selectionBar.hidden = !isShown;
    if (!isShown) return;
    this.actions.fillBar(this.selectionBar, chosen, {
      close: () => this.#setChoosing(false),
      more: (button) => this.#with('menus', (menus) => menus.openChosen(button)),
    });
    this.settleSelection();
  }

  /** Says what changed by itself, at most every other second. */
  #announce({ put = [], drop = [] }) {
    if (this.actions.isBusy) return;
    this.#announcing.added += put.length;
    this.#announcing.removed += drop.length;
    this.#announcing.timer ||= setTimeout(() => {
      const { added, removed } = this.#announcing;
      const said = [added && strings.added(added), removed && strings.removed(removed)];
      this.scene.announce(said.filter(Boolean).join(', '));
      this.#announcing = { added: 0, removed: 0, timer: 0 };
    }, 2000);
  }

  // MARK: What the person does

  #listen() {
    this.list.addEventListener('open', ({ detail }) => this.actions.open(detail));
    this.list.addEventListener('choose', () => this.#updateSelection());
    this.list.addEventListener('rename', ({ detail }) => this.actions.rename(detail.id, detail.title));
    this.list.addEventListener('sort', ({ detail }) => this.setSort(detail));
    this.list.addEventListener('menu', ({ detail }) => this.#openMenuAt(detail));
    this.empty.addEventListener('contextmenu', (event) => {
      event.preventDefault();
      this.#openMenuAt({ x: event.clientX, y: event.clientY });
    });
    this.scene.addEventListener('reveal', ({ detail }) => this.list.chooseWhenThere([detail]));
    document.addEventListener('keydown', (event) => this.#keyed(event));
  }

  #keyed(event) {
    if (this.inert || this.hidden || event.defaultPrevented || isTextField(event.target)) return;
    if (document.querySelector('dialog[open], .menu:popover-open')) return;
    const isInList = [document.body, this.heading].includes(event.target)
      || this.list.list.contains(event.target);
    const act = browserKey(event, isInList);
    if (act === null) return;
    event.preventDefault();
    const chosen = this.list.chosenItems;
    const acts = {
      undo: () => this.actions.undo(),
      redo: () => this.actions.redo(),
      open: () => this.actions.open(this.#chosenOrCurrent()),
      rename: () => chosen.length === 1 && this.list.beginRenaming(chosen[0].id),
      trash: () => this.actions.trash(chosen),
      duplicate: () => this.actions.duplicate(chosen),
      cut: () => this.actions.cut(chosen),
      paste: () => this.actions.paste(),
      all: () => this.selectAll(),
      escape: () => this.#setChoosing(false),
      parent: () => this.#enterParent(),
      create: () => this.scene.store.browser.canCreate && this.actions.create(),
      folder: () => this.actions.newFolder(),
      icons: () => this.setView('icons'),
      list: () => this.setView('list'),
      help: () => this.showKeyboardMap(),
    };
    acts[act]();
  }

  async showKeyboardMap() {
    const part = await this.scene.part(loadKeyMap);
    part?.showKeyboardMap();
  }

  #openMenuAt(point) { this.#with('menus', (menus) => menus.openAt(point)); }

  #chosenOrCurrent() {
    const { selection } = this.list;
    if (selection.chosen.size === 0 && selection.current !== null) {
      this.#select(() => selection.choose([selection.current]));
    }
    return this.list.chosenItems;
  }

  selectAll() { this.#select(() => this.list.selection.all()); }

  #select(change) {
    change();
    this.list.refresh();
    this.#updateSelection();
    if (this.list.selection.chosen.size > 1) {
      this.scene.announce(strings.selected(this.list.selection.chosen.size));
    }
  }

  #setChoosing(isChoosing) {
    const hadFocus = this.selectionBar.contains(document.activeElement);
    this.list.isChoosing = isChoosing;
    if (!isChoosing) this.list.selection.none();
    this.list.refresh();
    this.#updateSelection();
    if (hadFocus && !isChoosing) this.list.focusCurrent();
  }

  setView(view) {
    this.list.view = view;
    remember('view', view);
    this.list.refresh();
    this.#updateView();
  }

  setSort(sort) {
    this.list.sort = sort;
    remember('sort', sort.key);
    remember('descending', String(sort.descending));
    this.list.refresh();
  }

  #enterParent() {
    const parent = this.scene.store.browser.path.at(-2);
    if (parent) this.actions.enter(parent.id);
  }
}

customElements.define('document-browser', DocumentBrowser);
