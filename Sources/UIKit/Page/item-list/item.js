import { h, setAttributes, setText } from '../dom.js';
import { byteCount, moment } from '../format.js';
import { strings } from '../strings.js';
import { makeSymbol, syncWords, updateSymbol } from '../sync-status/symbol.js';

const kindOf = (item) => (item.kind === 'folder' ? strings.folderTitle : item.typeTitle ?? '');

/** The second line under an item's name. The size of an open item finds no room there, and is about to change. */
const details = (item) => {
  if (item.kind === 'folder') return strings.folderTitle;
  const facts = [item.open && strings.isOpen, moment(item.modified), !item.open && byteCount(item.size)];
  return facts.filter(Boolean).join(' · ');
};

/** Makes the element of an item for one of the two views. */
export function makeItem(item, view) {
  const picture = h('span.item-picture', {});
  const words = h('span.item-words', {}, h('span.item-title', {}),
    h('span.item-details', {}));
  if (view === 'icons') return h('div.item', { role: 'option' }, picture, makeSymbol(), words);
  return h('div.item', { role: 'row' },
    h('span.item-name', { role: 'gridcell' }, picture, words, makeSymbol()),
    h('span.item-kind', { role: 'gridcell' }),
    h('span.item-size', { role: 'gridcell' }),
    h('span.item-modified', { role: 'gridcell' }));
}

/** Brings an item's element up to date. */
export function updateItem(element, item, { view, isChosen, isCurrent, isCut, place, count, thumbnails }) {
  element.dataset.id = item.id;
  const part = (name) => element.querySelector(`.item-${name}`);
  thumbnails.show(part('picture'), item);
  setText(part('title'), item.title);
  setText(part('details'), details(item));
  setAttributes(element, {
    'aria-selected': String(isChosen),
    tabindex: isCurrent ? 0 : -1,
    title: item.name,
    'aria-label': view === 'icons'
      ? [item.title, kindOf(item), details(item), syncWords(item.sync)].filter(Boolean).join(', ') : null,
  });
  updateSymbol(part('sync'), item.sync);
  element.classList.toggle('is-evicted', item.sync?.here === false);
  element.classList.toggle('is-cut', isCut);
  element.classList.toggle('is-open', Boolean(item.open));
  if (view === 'icons') {
    setAttributes(element, { 'aria-posinset': place + 1, 'aria-setsize': count });
  } else {
    setAttributes(element, { 'aria-rowindex': place + 2 });
    setText(part('kind'), kindOf(item));
    setText(part('size'), item.kind === 'folder' ? '' : byteCount(item.size));
    setText(part('modified'), moment(item.modified));
  }
}
