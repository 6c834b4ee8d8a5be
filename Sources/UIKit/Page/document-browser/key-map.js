import { openDialog } from '../app-dialog/dialogs.js';
import { h, isMac } from '../dom.js';
import { strings } from '../strings.js';
import { arrows, keyWords, typing } from './key-words.js';

const command = isMac ? '⌘' : 'Ctrl';

/** @type {[string, string[][]][]} what is done, and the key presses that do it */
const map = [
  ['move', [[arrows]]],
  ['typeAhead', [[typing]]],
  ['open', [['Enter'], [command, '↓']]],
  ['parent', [['Alt', '↑'], ['Backspace']]],
  ['rename', [['F2']]],
  ['toggle', [['Space']]],
  ['extend', [['Shift', arrows]]],
  ['all', [[command, 'A']]],
  ['duplicate', [[command, 'D']]],
  ['cut', [[command, 'X'], [command, 'V']]],
  ['trash', [['Delete']]],
  ['undo', [[command, 'Z']]],
  ['redo', [[command, 'Shift', 'Z']]],
  ['create', [['Alt', 'N']]],
  ['folder', [['Alt', 'Shift', 'N']]],
  ['view', [['Alt', '1'], ['Alt', '2']]],
  ['menu', [['Shift', 'F10']]],
  ['escape', [['Esc']]],
  ['help', [['?']]],
];

/** Shows every key that does something in the browser. */
export function showKeyboardMap() {
  const press = (keys) => h('span.press', {}, ...keys.map((key) => h('kbd', {}, key)));
  const list = h('dl.key-map', {}, ...map.flatMap(([name, presses]) => (
    [h('dt', {}, keyWords[name]), h('dd', {}, ...presses.map(press))])));
  const actions = [{ title: strings.close, style: 'cancel' }];
  openDialog({ title: strings.keyboardMap, body: list, actions });
}
