import { h, setAttributes } from './dom.js';
import { icon, symbolIcon } from './icons/icons.js';

/** A button that is an icon, with its name as label and tooltip. */
export function toolButton(picture, label, run, properties = {}) {
  const { class: extra = '', ...rest } = properties;
  return h(`button.tool${extra && `.${extra}`}`, {
    type: 'button', 'aria-label': label, title: label, onclick: run, ...rest,
  }, icon(picture));
}

export function updateToolButton(button, { label, enabled = true, shortcut = null }) {
  setAttributes(button, { 'aria-label': label, title: label, 'aria-keyshortcuts': shortcut });
  button.disabled = !enabled;
}

/** The button of an app's bar item: its symbol where we have it, its title otherwise. */
export function barButton(bar, run) {
  const picture = bar.icon ? symbolIcon(bar.icon) : null;
  if (picture !== null) return toolButton(picture, bar.title, run);
  return h('button.text-button', { type: 'button', onclick: run }, bar.title);
}
