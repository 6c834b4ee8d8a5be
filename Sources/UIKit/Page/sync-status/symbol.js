import { h, setAttributes } from '../dom.js';
import { icon, ring } from '../icons/icons.js';
import { strings } from '../strings.js';

/**
 * How an item stands that other devices have, too.
 * @typedef {{state: string, percent?: number, here: boolean, inside?: boolean, message?: string}} Sync
 */

const pictures = {
  settled: 'inStep', waiting: 'waiting', remote: 'download', conflict: 'conflict', error: 'error',
  uploading: 'cloud', downloading: 'cloud', paused: 'paused', unknown: 'offline',
  excluded: 'device',
};

/** Whether there is something to show: what is in step, or what nobody knows of, is quiet. */
export const isShown = (sync) => Boolean(sync) && !['settled', 'unknown'].includes(sync.state);

/** How it stands, in words; empty for what is in step or nowhere else. */
export function syncWords(sync) {
  if (!isShown(sync)) return '';
  const words = sync.inside ? strings.syncInside(strings.sync[sync.state]) : strings.sync[sync.state];
  return sync.percent === undefined ? words : strings.syncPercent(words, sync.percent);
}

/** The picture of a state: a ring while something is under way whose extent is known. */
export const syncPicture = (state, percent) => (percent === undefined ? icon(pictures[state]) : ring(percent));

/** The place of an item's symbol, empty until it is updated. */
export const makeSymbol = () => h('span.item-sync', { hidden: true });

/** @param {Sync | undefined} sync */
export function updateSymbol(symbol, sync) {
  const shown = isShown(sync) ? `${sync.state} ${sync.percent ?? ''} ${sync.inside}` : '';
  if (symbol.dataset.shown === shown) return;
  symbol.dataset.shown = shown;
  symbol.hidden = shown === '';
  if (shown === '') return;
  const words = syncWords(sync);
  symbol.dataset.state = sync.state;
  setAttributes(symbol, { role: 'img', 'aria-label': words, title: sync.message ?? words });
  symbol.replaceChildren(syncPicture(sync.state, sync.percent),
    ...(sync.percent === undefined ? [] : [strings.percent(sync.percent)]));
}
