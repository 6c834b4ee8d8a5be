import { h, isPhone } from '../dom.js';
import { icon } from '../icons/icons.js';
import { strings } from '../strings.js';

/**
 * @typedef {{title: string, icon?: string, isChecked?: boolean, isDisabled?: boolean, isDanger?: boolean,
 *   detail?: string, run: () => void}} Entry
 */

/**
 * Shows a menu: beside its button or under the pointer; on a phone as a sheet from the lower edge.
 * @param {(Entry | 'line' | false | null)[]} entries
 * @param {{anchor?: HTMLElement, x?: number, y?: number, label: string}} place
 */
export function openMenu(entries, { anchor, x, y, label }) {
  const back = anchor ?? document.activeElement;
  const menu = h('div.menu', { popover: 'auto', role: 'menu', 'aria-label': label, tabindex: -1 });
  const choose = (entry) => {
    menu.hidePopover();
    entry.run();
  };
  menu.append(...entries.filter(Boolean).map((entry) => (entry === 'line'
    ? h('div.menu-line', { role: 'separator' })
    : makeEntry(entry, () => choose(entry)))));
  if (isPhone()) {
    menu.classList.add('is-sheet');
    menu.append(makeEntry({ title: strings.cancel, isCancel: true }, () => menu.hidePopover()));
  }
  menu.addEventListener('keydown', (event) => moveInside(menu, event));
  menu.addEventListener('toggle', (event) => {
    if (event.newState !== 'closed') return;
    anchor?.setAttribute('aria-expanded', 'false');
    menu.remove();
  });
  menu.addEventListener('beforetoggle', (event) => {
    const hasFocus = menu.contains(document.activeElement);
    if (event.newState === 'closed' && hasFocus && back?.isConnected) back.focus({ preventScroll: true });
  });
  // Inside the part of the page it belongs to, for those who go by landmarks; it floats above all the same.
  (back?.closest('document-browser, document-view') ?? document.body).append(menu);
  menu.showPopover();
  anchor?.setAttribute('aria-expanded', 'true');
  if (!isPhone()) place(menu, anchor?.getBoundingClientRect() ?? new DOMRect(x, y, 0, 0));
  const first = [...menu.querySelectorAll('button')].find((button) => !button.disabled);
  (first ?? menu).focus({ preventScroll: true });
}

function makeEntry(entry, run) {
  const isChoice = entry.isChecked !== undefined;
  const picture = isChoice ? (entry.isChecked ? 'check' : null) : entry.icon;
  const button = h('button.menu-entry', {
    type: 'button',
    role: isChoice ? 'menuitemradio' : 'menuitem',
    'aria-checked': isChoice ? String(entry.isChecked) : null,
    disabled: Boolean(entry.isDisabled),
    tabindex: 0,
    onclick: run,
  }, h('span.menu-icon', {}, picture ? icon(picture) : ''), h('span', {}, entry.title));
  button.classList.toggle('is-danger', Boolean(entry.isDanger));
  button.classList.toggle('is-cancel', Boolean(entry.isCancel));
  return button;
}

/** Beside what it belongs to, and inside the window. */
function place(menu, bounds) {
  const { width, height } = menu.getBoundingClientRect();
  const margin = 8;
  const isAtPoint = bounds.width === 0;
  const left = isAtPoint || bounds.left + width < innerWidth - margin ? bounds.left : bounds.right - width;
  const below = bounds.bottom + (isAtPoint ? 0 : 4);
  const top = below + height < innerHeight - margin ? below : bounds.top - height - (isAtPoint ? 0 : 4);
  menu.style.left = `${Math.max(margin, Math.min(left, innerWidth - width - margin))}px`;
  menu.style.top = `${Math.max(margin, Math.min(top, innerHeight - height - margin))}px`;
}

function moveInside(menu, event) {
  const buttons = [...menu.querySelectorAll('button')].filter((button) => !button.disabled);
  const at = buttons.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  event.stopPropagation();
  if (to !== undefined) {
    event.preventDefault();
    buttons[(to + buttons.length) % buttons.length].focus();
  } else if (event.key === 'Tab') {
    event.preventDefault();
    menu.hidePopover();
  } else if (event.key === 'Escape') {
    event.preventDefault();
    menu.hidePopover();
  } else if (event.key.length === 1 && event.key !== ' ') {
    const letter = event.key.toLocaleLowerCase();
    const rest = [...buttons.slice(at + 1), ...buttons.slice(0, at + 1)];
    rest.find((button) => button.textContent.trim().toLocaleLowerCase().startsWith(letter))?.focus();
  }
}
