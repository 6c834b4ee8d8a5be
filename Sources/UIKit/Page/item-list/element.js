import { h, hasCommandKey, isPhone, keep, setAttributes } from '../dom.js';
import { inOrder } from '../format.js';
import { icon } from '../icons/icons.js';
import { strings } from '../strings.js';
import { makeItem, updateItem } from './item.js';
import { NameField } from './name-field.js';
import { Selection } from './selection.js';

const columns = ['name', 'kind', 'size', 'modified'];
const holdMilliseconds = 500;

/**
 * The items of one folder, as icons or as a list. Draws only what can be seen, so that a folder of
 * 100,000 costs no more than one of 100.
 *
 * Events (not bubbling): `open` (items), `menu` ({x, y} or the item's element), `choose`,
 * `rename` ({id, title}), `sort` (sort).
 */
export class ItemList extends HTMLElement {
  view = 'icons';
  sort = { key: 'name', descending: false };
  /** Whether a tap chooses instead of opening. */
  isChoosing = false;
  selection = new Selection();
  /** @type {Set<string>} */
  cut = new Set();
  /** Set before anything is shown. @type {import('./thumbnails.js').Thumbnails} */
  thumbnails;

  /** @type {any[]} */
  #items = [];
  #columnCount = 1;
  #rowHeight = 44;
  #drawnView = '';
  /** The places drawn last, from and before. */
  #drawn = [0, 0];
  #wanted = { ids: [], renames: false };
  #typed = { text: '', at: -Infinity };
  #hold = 0;

  connectedCallback() {
    if (this.list) return;
    this.header = h('div.list-header', { role: 'row', 'aria-rowindex': 1 }, ...columns.map((key) => (
      h(`span.header-${key}`, { role: 'columnheader' },
        h('button.quiet', { type: 'button', onclick: () => this.#sortBy(key) }, strings[key])))));
    this.list = h('div.items');
    this.grid = h('div.grid', {}, this.header, this.list);
    this.append(this.grid);
    this.nameField = new NameField(this, (id, title) => this.#emit('rename', { id, title }));
    this.addEventListener('scroll', () => this.#drawWhatCame(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this);
    this.#listen();
  }

  /** The chosen items, in the order shown. */
  get chosenItems() { return this.#items.filter((item) => this.selection.chosen.has(item.id)); }
  get items() { return this.#items; }

  /** Shows these items. */
  show(items, label) {
    this.#items = inOrder(this.#inPresentOrder(items), this.sort);
    this.selection.setOrder(this.#items.map((item) => item.id));
    setAttributes(this.list, { 'aria-label': label });
    this.#meetWish();
    this.#draw();
  }

  /** The same items, those known before in their order; sorting what is nearly sorted costs little. */
  #inPresentOrder(items) {
    const rest = new Map(items.map((item) => [item.id, item]));
    const known = [];
    for (const { id } of this.#items) {
      if (rest.has(id)) known.push(rest.get(id));
      rest.delete(id);
    }
    return known.concat([...rest.values()]);
  }

  /** Draws again, after `view`, `sort`, `cut` or `isChoosing` changed. */
  refresh() {
    this.#items = inOrder(this.#items, this.sort);
    this.selection.setOrder(this.#items.map((item) => item.id));
    this.#draw();
  }

  /** Chooses items and brings them into view; at once, or when they have arrived. */
  chooseWhenThere(ids, { renames = false } = {}) {
    this.#wanted = { ids, renames };
    this.#meetWish();
    this.#draw();
  }

  focusCurrent() {
    this.selection.current ??= this.selection.order[0] ?? null;
    this.#scrollToCurrent();
    this.#draw();
    this.elementOf(this.selection.current)?.focus({ preventScroll: true });
  }

  /** Starts the renaming in place of one item. */
  beginRenaming(id) {
    const item = this.#items.find((candidate) => candidate.id === id);
    if (!item) return;
    this.selection.choose([id]);
    this.#scrollToCurrent();
    this.#draw();
    this.nameField.begin(item, this.elementOf(id));
  }

  elementOf(id) { return id === null ? undefined : this.list.kept?.get(id); }

  /** Where an item is on the screen, for what zooms out of it. */
  boundsOf(id) {
    return this.elementOf(id)?.querySelector('.item-picture').getBoundingClientRect();
  }

  // MARK: Drawing

  #measure() {
    const isWide = !isPhone();
    if (this.view === 'list') {
      this.#columnCount = 1;
      this.#rowHeight = isWide ? 44 : 64;
    } else {
      this.#columnCount = Math.max(1, Math.floor(this.list.clientWidth / (isWide ? 136 : 104)));
      this.#rowHeight = isWide ? 172 : 160;
    }
  }

  #draw() {
    if (!this.list || !this.checkVisibility()) return;
    const hadFocus = this.list.contains(document.activeElement);
    this.#dressView();
    this.#measure();
    const rowCount = Math.ceil(this.#items.length / this.#columnCount);
    this.list.style.height = `${rowCount * this.#rowHeight}px`;
    const [first, end] = this.#drawn = this.#placesInView();
    keep(this.list, this.#placesToDraw(first, end), (place) => this.#items[place].id,
      (place) => makeItem(this.#items[place], this.view),
      (element, place) => this.#updateAt(place, element));
    this.nameField.follow(this.elementOf(this.nameField.id));
    if (hadFocus && !this.list.contains(document.activeElement)) {
      this.elementOf(this.selection.current)?.focus({ preventScroll: true });
    }
  }

  /** After scrolling: what was drawn is right as it is, only what came into view is new. */
  #drawWhatCame() {
    const [first, end] = this.#placesInView();
    if (first === this.#drawn[0] && end === this.#drawn[1]) return;
    this.#drawn = [first, end];
    keep(this.list, this.#placesToDraw(first, end), (place) => this.#items[place].id, (place) => {
      const element = makeItem(this.#items[place], this.view);
      this.#updateAt(place, element);
      return element;
    });
    this.nameField.follow(this.elementOf(this.nameField.id));
  }

  /** From which place on, and before which, items are in view or nearly. */
  #placesInView() {
    const spareRows = 4;
    const top = this.scrollTop - this.list.offsetTop;
    const firstRow = Math.max(0, Math.floor(top / this.#rowHeight) - spareRows);
    const endRow = Math.ceil((top + this.clientHeight) / this.#rowHeight) + spareRows;
    return [firstRow * this.#columnCount, endRow * this.#columnCount];
  }

  #updateAt(place, element) {
    const item = this.#items[place];
    const { current, chosen } = this.selection;
    updateItem(element, item, {
      view: this.view,
      isChosen: chosen.has(item.id),
      isCurrent: current === null ? place === 0 : item.id === current,
      isCut: this.cut.has(item.id),
      place,
      count: this.#items.length,
      thumbnails: this.thumbnails,
    });
    const width = 100 / this.#columnCount;
    element.style.width = `${width}%`;
    element.style.height = `${this.#rowHeight}px`;
    element.style.insetInlineStart = `${(place % this.#columnCount) * width}%`;
    element.style.top = `${Math.floor(place / this.#columnCount) * this.#rowHeight}px`;
  }

  /** The places that can be seen, and the one that has the keyboard, wherever it is. */
  #placesToDraw(first, end) {
    const places = new Set();
    for (let place = first; place < Math.min(end, this.#items.length); place += 1) places.add(place);
    for (const id of [this.selection.current ?? this.#items[0]?.id, this.nameField.id]) {
      const place = this.selection.placeOf(id);
      if (place >= 0) places.add(place);
    }
    return [...places].sort((left, right) => left - right);
  }

  #dressView() {
    const isList = this.view === 'list';
    if (this.#drawnView !== this.view) {
      this.#drawnView = this.view;
      this.list.replaceChildren();
      this.list.kept = undefined;
      this.dataset.view = this.view;
      this.header.hidden = !isList;
    }
    const label = this.list.getAttribute('aria-label') ?? strings.documents;
    const many = { 'aria-multiselectable': 'true', 'aria-label': label };
    const nothing = { 'aria-multiselectable': null, 'aria-label': null };
    setAttributes(this.grid, isList
      ? { role: 'grid', 'aria-rowcount': this.#items.length + 1, ...many }
      : { role: null, 'aria-rowcount': null, ...nothing });
    setAttributes(this.list, isList
      ? { role: 'rowgroup', 'aria-multiselectable': null, 'aria-label': label }
      : { role: 'listbox', ...many });
    this.classList.toggle('is-choosing', this.isChoosing);
    if (!isList) return;
    columns.forEach((key, at) => {
      const isSorted = this.sort.key === key;
      const cell = this.header.children[at];
      const direction = this.sort.descending ? 'descending' : 'ascending';
      setAttributes(cell, { 'aria-sort': isSorted ? direction : 'none' });
      const button = cell.firstChild;
      button.replaceChildren(strings[key], ...(isSorted ? [icon(this.sort.descending ? 'down' : 'up')] : []));
    });
  }

  #sortBy(key) {
    const isSame = this.sort.key === key;
    this.#emit('sort', { key, descending: isSame ? !this.sort.descending : key === 'modified' });
  }

  #scrollToCurrent() {
    const place = this.selection.placeOf(this.selection.current);
    if (place < 0) return;
    this.#measure();
    const top = this.list.offsetTop + Math.floor(place / this.#columnCount) * this.#rowHeight;
    const above = this.header.hidden ? 8 : this.header.offsetHeight;
    const room = 96; // what may float over the lower edge
    if (top - above < this.scrollTop) this.scrollTop = top - above;
    else if (top + this.#rowHeight > this.scrollTop + this.clientHeight - room) {
      this.scrollTop = top + this.#rowHeight - this.clientHeight + room;
    }
  }

  #meetWish() {
    const { ids, renames } = this.#wanted;
    if (ids.length === 0 || !ids.every((id) => this.selection.has(id))) return;
    this.#wanted = { ids: [], renames: false };
    this.selection.choose(ids);
    this.#scrollToCurrent();
    this.#draw();
    if (renames) this.beginRenaming(ids[0]);
    else if (document.activeElement.matches('body, h1, .item')) this.focusCurrent();
    this.#emit('choose');
  }

  // MARK: What the person does

  #emit(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  #chosen() {
    this.#draw();
    this.#emit('choose');
  }

  #idAt(event) { return event.target.closest?.('.item')?.dataset.id ?? null; }

  #listen() {
    this.addEventListener('click', (event) => this.#clicked(event));
    this.addEventListener('dblclick', (event) => {
      if (this.#idAt(event) !== null && !this.isChoosing) this.#emit('open', this.chosenItems);
    });
    this.addEventListener('contextmenu', (event) => this.#menuAsked(event));
    this.list.addEventListener('keydown', (event) => this.#keyed(event));
    this.list.addEventListener('focusin', (event) => {
      const id = this.#idAt(event);
      if (id !== null && id !== this.selection.current) {
        this.selection.current = id;
        this.#draw();
      }
    });
    this.#listenForHolding();
  }

  /** A finger held on an item asks for its menu where the platform does not say so itself. */
  #listenForHolding() {
    this.list.addEventListener('pointerdown', (event) => {
      if (event.pointerType !== 'touch') return;
      clearTimeout(this.#hold);
      this.#hold = setTimeout(() => this.#menuAsked(event), holdMilliseconds);
    });
    for (const name of ['pointerup', 'pointercancel', 'pointermove']) {
      this.list.addEventListener(name, (event) => {
        const strays = Math.hypot(event.movementX, event.movementY) > 4;
        if (name !== 'pointermove' || strays) clearTimeout(this.#hold);
      });
    }
  }

  #clicked(event) {
    const id = this.#idAt(event);
    if (id === null) {
      if (![this, this.list, this.grid].includes(event.target)) return undefined;
      this.selection.none();
      return this.#chosen();
    }
    if (event.shiftKey) this.selection.extendTo(id);
    else if (hasCommandKey(event) || this.isChoosing) this.selection.toggle(id);
    else this.selection.choose([id]);
    this.#chosen();
    this.elementOf(id)?.focus({ preventScroll: true });
    if (event.pointerType === 'touch' && !this.isChoosing) this.#emit('open', this.chosenItems);
  }

  #menuAsked(event) {
    clearTimeout(this.#hold);
    event.preventDefault();
    const id = this.#idAt(event);
    if (id === null) this.selection.none();
    else if (!this.selection.chosen.has(id)) this.selection.choose([id]);
    this.#chosen();
    if (id !== null) this.elementOf(id)?.focus({ preventScroll: true });
    this.#emit('menu', { x: event.clientX, y: event.clientY });
  }

  #keyed(event) {
    // Any other key ends the name that was being typed.
    if (event.key.length > 1 && event.key !== 'Shift') this.#typed = { text: '', at: -Infinity };
    const place = this.selection.placeOf(this.selection.current);
    const to = this.#destination(event, Math.max(0, place));
    if (to !== null) {
      event.preventDefault();
      const isCommand = hasCommandKey(event) && !['Home', 'End'].includes(event.key);
      this.selection.moveTo(to, { extends: event.shiftKey, leaves: isCommand || this.isChoosing });
      this.#chosen();
      return this.focusCurrent();
    }
    if (event.key === ' ' && this.selection.current !== null && performance.now() - this.#typed.at > 800) {
      event.preventDefault();
      this.selection.toggle(this.selection.current);
      return this.#chosen();
    }
    if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      const { current, chosen } = this.selection;
      if (!chosen.has(current)) this.selection.choose([current]);
      this.#chosen();
      const bounds = this.elementOf(current)?.getBoundingClientRect();
      if (!bounds) return undefined;
      return this.#emit('menu', { x: bounds.left + bounds.width / 2, y: bounds.top + bounds.height / 2 });
    }
    return this.#typedAhead(event);
  }

  /** Where an arrow or its like leads, or null for any other key. */
  #destination(event, place) {
    if (event.altKey || (hasCommandKey(event) && event.key === 'ArrowDown' && !event.shiftKey)) return null;
    const across = getComputedStyle(this).direction === 'rtl' ? -1 : 1;
    const row = this.#columnCount;
    const screen = Math.max(1, Math.floor(this.clientHeight / this.#rowHeight) - 1) * row;
    const isIcons = this.view === 'icons';
    switch (event.key) {
      case 'ArrowDown': return Math.min(place + row, this.#items.length - 1);
      case 'ArrowUp': return place - row < 0 ? place : place - row;
      case 'ArrowRight': return isIcons ? place + across : null;
      case 'ArrowLeft': return isIcons ? place - across : null;
      case 'PageDown': return place + screen;
      case 'PageUp': return place - screen;
      case 'Home': return 0;
      case 'End': return this.#items.length - 1;
      default: return null;
    }
  }

  /** Letters go to the next name that begins with them. */
  #typedAhead(event) {
    if (event.key.length !== 1 || event.key === '?' || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = performance.now();
    const isNew = now - this.#typed.at > 800;
    this.#typed = { text: (isNew ? '' : this.#typed.text) + event.key.toLocaleLowerCase(), at: now };
    const start = this.selection.placeOf(this.selection.current) + (isNew ? 1 : 0);
    for (let step = 0; step < this.#items.length; step += 1) {
      const place = (Math.max(0, start) + step) % this.#items.length;
      if (!this.#items[place].title.toLocaleLowerCase().startsWith(this.#typed.text)) continue;
      event.preventDefault();
      this.selection.moveTo(place);
      this.#chosen();
      this.focusCurrent();
      return;
    }
  }
}

customElements.define('item-list', ItemList);
