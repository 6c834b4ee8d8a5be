import { h, setText } from '../dom.js';
import { strings } from '../strings.js';

let lastNumber = 0;

// A browser lets the Escape key close a dialog at its second press, whatever it was told at the first; the process
// would still wait for an answer then.
addEventListener('keydown', (event) => {
  const front = [...document.querySelectorAll('dialog[open]')].at(-1);
  if (event.key !== 'Escape' || event.isComposing || !front) return;
  event.preventDefault();
  front.dispatchEvent(new Event('cancel', { cancelable: true }));
}, { capture: true });

/**
 * Shows a dialog over everything, with the keyboard inside it until it is closed.
 *
 * @param {{title: string, message?: string, body?: HTMLElement, isAlert?: boolean, isSheet?: boolean,
 *   isWide?: boolean,
 *   fields?: {placeholder: string, text: string, secure: boolean}[],
 *   actions: {id?: string, title: string, style: 'default' | 'cancel' | 'destructive'}[],
 *   choose?: (action: any, texts: string[]) => void}} content  without `choose`, any action closes it
 * @returns {HTMLDialogElement}
 */
export function openDialog(content) {
  const { title, message, body, fields = [] } = content;
  // The way out comes first, what goes on comes last, next to the edge.
  const isWayOut = (action) => action.style === 'cancel';
  const actions = content.actions.toSorted((one, other) => isWayOut(other) - isWayOut(one));
  lastNumber += 1;
  const titleId = `dialog-title-${lastNumber}`;
  const messageId = `dialog-message-${lastNumber}`;
  const bodyId = `dialog-body-${lastNumber}`;
  // A question is heard as a whole.
  const described = (message && messageId) || (content.isAlert && body && bodyId);
  const inputs = fields.map((field) => h('input.field', {
    type: field.secure ? 'password' : 'text', value: field.text, 'aria-label': field.placeholder || title,
    placeholder: field.placeholder, autocomplete: 'off', spellcheck: 'false',
  }));
  const dialog = h('dialog.dialog', {
    role: content.isAlert ? 'alertdialog' : 'dialog',
    'aria-labelledby': titleId,
    'aria-describedby': described || null,
  });
  const choose = (action) => {
    if (content.choose) content.choose(action, inputs.map((input) => input.value));
    else dialog.close();
  };
  const cancel = actions.find((action) => action.style === 'cancel');
  const buttons = actions.map((action) => h('button.dialog-action', {
    type: action === preferred(actions) ? 'submit' : 'button',
    class: `dialog-action is-${action.style}${action === preferred(actions) ? ' is-preferred' : ''}`,
    onclick: (event) => {
      event.preventDefault();
      choose(action);
    },
  }, action.title));
  const text = message ? h('p', { id: messageId }, message) : null;
  const parts = [h('h2', { id: titleId }, title), text, body ?? null, ...inputs];
  dialog.append(h('form', { method: 'dialog', class: content.isSheet ? 'is-sheet' : null },
    h('div.dialog-body', { id: bodyId, tabindex: body ? 0 : null }, ...parts), h('div.dialog-actions', {}, ...buttons)));
  dialog.classList.toggle('is-sheet', Boolean(content.isSheet));
  dialog.classList.toggle('is-wide', Boolean(content.isWide));
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    if (cancel) choose(cancel);
    else if (!content.choose) dialog.close();
  });
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  const gentlest = buttons[actions.indexOf(cancel)] ?? buttons[0];
  (inputs[0] ?? gentlest)?.focus();
  inputs[0]?.select();
  return dialog;
}

/** The action that Enter in a field means. */
const preferred = (actions) => actions.findLast((action) => action.style === 'default')
  ?? actions.findLast((action) => action.style !== 'cancel') ?? actions[0];

/** Shows that something did not work. */
export function showProblem({ title, message }) {
  openDialog({
    title: title || strings.couldNot, message, isAlert: true, actions: [{ title: strings.ok, style: 'cancel' }],
  });
}

/** Shows the scene's alerts, and none twice. */
export class Dialogs {
  #scene;
  /** @type {Map<string, HTMLDialogElement>} */
  #shown = new Map();

  /** @param {import('../scene.js').Scene} scene */
  constructor(scene) {
    this.#scene = scene;
    scene.store.listen((touched) => {
      if (touched.has('stack')) this.#update();
    });
    this.#update();
  }

  #update() {
    const { stack } = this.#scene.store;
    const alerts = stack.filter((entry) => entry.kind === 'alert' || entry.kind === 'sheet');
    for (const [id, dialog] of this.#shown) {
      if (alerts.some((alert) => alert.id === id)) continue;
      dialog.close();
      this.#shown.delete(id);
    }
    for (const alert of alerts) {
      const dialog = this.#shown.get(alert.id);
      if (dialog) this.#refresh(dialog, alert);
      else this.#shown.set(alert.id, this.#open(alert));
    }
  }

  #open(alert) {
    return openDialog({
      title: alert.title ?? '',
      message: alert.message,
      isAlert: alert.kind === 'alert',
      isSheet: alert.kind === 'sheet',
      fields: alert.fields ?? [],
      actions: alert.actions,
      choose: (action, fields) => this.#scene.perform('alert.choose', {
        alert: alert.id, action: action.id, fields,
      }),
    });
  }

  #refresh(dialog, alert) {
    setText(dialog.querySelector('h2'), alert.title ?? '');
    const message = dialog.querySelector('p');
    if (message) setText(message, alert.message ?? '');
  }
}
