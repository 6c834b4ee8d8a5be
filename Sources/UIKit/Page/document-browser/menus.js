import { openMenu } from '../action-menu/element.js';
import { isPhone } from '../dom.js';
import { strings } from '../strings.js';

/** The browser's menus: of items, of the folder, of how items are sorted, and of all that has no button. */
export class BrowserMenus {
  #browser;

  /** @param {import('./element.js').DocumentBrowser} browser */
  constructor(browser) {
    this.#browser = browser;
  }

  get #actions() { return this.#browser.actions; }
  get #list() { return this.#browser.list; }
  get #shown() { return this.#browser.scene.store.browser; }

  openSort(anchor) { openMenu(this.#sortKeys(), { anchor, label: strings.sortBy }); }

  openMore(anchor) {
    const view = (name, title, picture) => ({
      title, icon: picture, isChecked: this.#list.view === name, run: () => this.#browser.setView(name),
    });
    const { undo, redo, largeChanges, lastLargeChange } = this.#shown;
    const onPhone = [
      this.#newFolder(),
      undo && { title: strings.undoTitled(undo), icon: 'undo', run: () => this.#actions.undo() },
      redo && { title: strings.redoTitled(redo), icon: 'redo', run: () => this.#actions.redo() },
      'line', view('icons', strings.iconsView, 'grid'), view('list', strings.listView, 'list'),
      'line', ...this.#sortKeys(), 'line',
    ];
    openMenu([
      ...(isPhone() ? onPhone : []),
      this.#paste(),
      { title: strings.importFolder, icon: 'import', run: () => this.#browser.chooseFiles({ folder: true }) },
      { title: strings.selectAll, icon: 'select', run: () => this.#browser.selectAll() },
      // What waits is decided first.
      lastLargeChange && !largeChanges?.length
        && { title: strings.goBack, icon: 'undo', run: () => this.#goBack() },
      !isPhone()
        && { title: strings.keyboardMap, icon: 'keyboard', run: () => this.#browser.showKeyboardMap() },
    ], { anchor, label: strings.more });
  }

  async #goBack() {
    const { scene } = this.#browser;
    (await scene.part(() => import('../large-change/back.js')))?.goBack(scene);
  }

  /** The menu of the chosen items; without any, of the folder. */
  openAt(place) {
    const chosen = this.#list.chosenItems;
    if (chosen.length > 0) {
      openMenu(this.#itemEntries(chosen), { ...place, label: strings.selected(chosen.length) });
      return;
    }
    openMenu([
      this.#shown.canCreate && {
        title: this.#shown.createTitle || strings.create, icon: 'plus', run: () => this.#actions.create(),
      },
      this.#newFolder(),
      { title: strings.importFiles, icon: 'import', run: () => this.#browser.chooseFiles() },
      this.#paste(),
    ], { ...place, label: this.#browser.heading.textContent });
  }

  /** The menu of the chosen items, from the bar that is there for them. */
  openChosen(anchor) {
    openMenu(this.#itemEntries(this.#list.chosenItems), { anchor, label: strings.more });
  }

  #newFolder() {
    return { title: strings.newFolder, icon: 'newFolder', run: () => this.#actions.newFolder() };
  }

  #paste() {
    return this.#actions.canPaste
      && { title: strings.paste, icon: 'paste', run: () => this.#actions.paste() };
  }

  /** What to sort by; choosing the same again turns the order around. */
  #sortKeys() {
    const { key: current, descending } = this.#list.sort;
    return ['name', 'kind', 'size', 'modified'].map((key) => ({
      title: key === current ? strings.sorted(strings[key], descending) : strings[key],
      isChecked: key === current,
      run: () => this.#browser.setSort({
        key, descending: key === current ? !descending : key === 'modified',
      }),
    }));
  }

  #itemEntries(items) {
    const actions = this.#actions;
    const isOne = items.length === 1;
    const canOpen = items.some((item) => item.openable || item.kind === 'folder');
    const own = actions.customActions(items, 'menu');
    return [
      { title: strings.open, icon: 'open', isDisabled: !canOpen, run: () => actions.open(items) },
      isOne && { title: strings.rename, icon: 'rename', run: () => this.#list.beginRenaming(items[0].id) },
      { title: strings.duplicate, icon: 'copy', run: () => actions.duplicate(items) },
      { title: strings.cut, icon: 'cut', run: () => actions.cut(items) },
      ...(own.length > 0 ? ['line', ...own] : []),
      ...this.#syncEntries(items),
      'line',
      { title: strings.trash, icon: 'trash', isDanger: true, run: () => actions.trash(items) },
    ];
  }

  /** What can be done about items that other devices have, too. */
  #syncEntries(items) {
    if (items.length === 0 || items.some((item) => !item.sync)) return [];
    const actions = this.#actions;
    // What nobody knows of cannot be changed, only asked about.
    const documents = items.filter((item) => item.kind !== 'folder'
      && !['unknown', 'excluded'].includes(item.sync.state));
    const here = documents.filter((item) => item.sync.here);
    const away = documents.filter((item) => !item.sync.here && item.sync.state !== 'downloading');
    const coming = documents.filter((item) => item.sync.requested);
    const paused = documents.filter((item) => item.sync.paused);
    const going = documents.filter((item) => !item.sync.paused);
    const entries = [
      items.length === 1
        && { title: strings.syncStatus, icon: 'inStep', run: () => actions.explain(items[0]) },
      away.length > 0 && { title: strings.downloadNow, icon: 'download', run: () => actions.download(away) },
      coming.length > 0
        && { title: strings.cancelDownload, icon: 'cloud', run: () => actions.evict(coming) },
      here.length > 0 && { title: strings.removeDownload, icon: 'cloud', run: () => actions.evict(here) },
      going.length > 0 && { title: strings.pauseSync, icon: 'paused', run: () => actions.pause(going) },
      paused.length > 0 && { title: strings.resumeSync, icon: 'resume', run: () => actions.resume(paused) },
    ].filter(Boolean);
    return entries.length > 0 ? ['line', ...entries] : [];
  }
}
