import { h } from '../dom.js';
import { strings } from '../strings.js';

/**
 * The field that lies over an item's name while it is renamed. It is not inside the item, whose role
 * allows no field, and so outlives every drawing of the list.
 */
export class NameField {
  /** The item being renamed, or null. */
  id = null;
  #before = '';
  /** The item's element, whose words make way. */
  #element = null;
  #owner;
  #done;

  /**
   * @param {import('./element.js').ItemList} owner
   * @param {(id: string, title: string) => void} done  called with a title that differs
   */
  constructor(owner, done) {
    this.#owner = owner;
    this.#done = done;
    this.input = h('input.name-field', {
      type: 'text', 'aria-label': strings.newName, spellcheck: 'false', autocomplete: 'off', hidden: true,
      onkeydown: (event) => this.#keyed(event),
      onblur: () => this.#end(true, false),
    });
    owner.append(this.input);
  }

  begin(item, element) {
    this.id = item.id;
    this.#before = item.title;
    this.input.value = item.title;
    this.input.hidden = false;
    this.follow(element);
    this.input.focus({ preventScroll: true });
    // The extension, where it is part of the name shown, stays as it is unless someone reaches for it.
    const dot = item.kind === 'folder' || item.title !== item.name ? -1 : item.title.lastIndexOf('.');
    this.input.setSelectionRange(0, dot > 0 ? dot : item.title.length);
  }

  /** Lies over the name of this element; without one, the item is gone and so is the field. */
  follow(element) {
    if (this.id === null) return;
    if (!element) {
      this.#close();
      return;
    }
    if (this.#element !== element) this.#element?.classList.remove('is-renamed');
    this.#element = element;
    element.classList.add('is-renamed');
    const title = element.querySelector('.item-title').getBoundingClientRect();
    const item = element.getBoundingClientRect();
    const frame = this.#owner.getBoundingClientRect();
    const isIcons = this.#owner.view === 'icons';
    const left = isIcons ? item.left + 4 : title.left - 8;
    const width = isIcons ? item.width - 8 : Math.min(320, item.right - left - 12);
    this.input.style.left = `${left - frame.left + this.#owner.scrollLeft}px`;
    this.input.style.top = `${title.top - frame.top + this.#owner.scrollTop - 6}px`;
    this.input.style.width = `${width}px`;
    this.input.style.textAlign = isIcons ? 'center' : 'start';
  }

  #keyed(event) {
    event.stopPropagation();
    if (event.isComposing || !['Enter', 'Escape'].includes(event.key)) return;
    event.preventDefault();
    this.#end(event.key === 'Enter', true);
  }

  #end(isWanted, returnsFocus) {
    if (this.id === null) return;
    const { id } = this;
    const title = this.input.value.trim();
    this.#close();
    if (returnsFocus) this.#owner.focusCurrent();
    if (isWanted && title !== '' && title !== this.#before) this.#done(id, title);
  }

  #close() {
    this.id = null;
    this.input.hidden = true;
    this.#element?.classList.remove('is-renamed');
    this.#element = null;
  }
}
