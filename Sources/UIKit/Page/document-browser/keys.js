import { hasCommandKey } from '../dom.js';

/**
 * What a key press asks of the browser, or null.
 * @param {KeyboardEvent} event
 * @param {boolean} isInList  whether the list has the keyboard; letters and single keys count there only
 */
export function browserKey(event, isInList) {
  const isCommand = hasCommandKey(event);
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (isCommand && !event.altKey) {
    if (key === 'z') return event.shiftKey ? 'redo' : 'undo';
    if (key === 'y') return 'redo';
    if (!isInList || event.shiftKey) return null;
    const acts = {
      a: 'all', d: 'duplicate', x: 'cut', v: 'paste',
      ArrowDown: 'open', ArrowUp: 'parent', Backspace: 'trash',
    };
    return acts[key] ?? null;
  }
  if (event.altKey && !event.ctrlKey && !event.metaKey) {
    // By its place, as with this key some keyboards write another letter.
    if (event.code === 'KeyN') return event.shiftKey ? 'folder' : 'create';
    return { ArrowUp: 'parent', Digit1: 'icons', Digit2: 'list' }[event.code] ?? null;
  }
  if (key === '?') return 'help';
  if (key === 'Escape') return 'escape';
  if (!isInList) return null;
  return { Enter: 'open', F2: 'rename', Delete: 'trash', Backspace: 'parent' }[key] ?? null;
}
