import { openDialog } from '../app-dialog/dialogs.js';
import { chooseVersion } from '../conflict-chooser/chooser.js';
import { barButton, toolButton, updateToolButton } from '../controls.js';
import { h, keep, rove, setAttributes, setText } from '../dom.js';
import { icon } from '../icons/icons.js';
import { strings } from '../strings.js';

/** The bar over an opened document or a plain page: its name, how it is kept, and the ways out. */
export class DocumentView extends HTMLElement {
  #scene;
  #settle;
  #entry;
  #isRenaming = false;

  /**
   * @param {import('../scene.js').Scene} scene
   * @param {(web: string) => Promise<void> | undefined} settle  comes back when what was entered in a frame is sent
   */
  constructor(scene, settle) {
    super();
    this.#scene = scene;
    this.#settle = settle;
  }

  connectedCallback() {
    if (!this.bar) this.#build();
  }

  /** Takes over what the scene says of the document or page. */
  show(entry) {
    this.#entry = entry;
    if (!this.bar) this.#build();
    this.#showTitle(entry);
    this.#showState(entry);
    const isDocument = entry.kind === 'document';
    this.done.hidden = isDocument ? entry.done === false : !entry.done;
    setText(this.done, typeof entry.done === 'string' ? entry.done : strings.done);
    this.undo.hidden = this.redo.hidden = !isDocument;
    if (isDocument) {
      updateToolButton(this.undo, {
        label: entry.undo.title || strings.undo, enabled: entry.undo.enabled,
        shortcut: 'Control+Z',
      });
      updateToolButton(this.redo, {
        label: entry.redo.title || strings.redo, enabled: entry.redo.enabled,
        shortcut: 'Control+Shift+Z',
      });
    }
    for (const [place, bars] of [[this.leading, entry.leading], [this.trailing, entry.trailing]]) {
      keep(place, bars ?? [], (bar) => `${bar.id} ${bar.icon} ${bar.title}`,
        (bar) => barButton(bar, () => this.#scene.perform('bar.tap', { of: this.#entry.id, bar: bar.id })),
        (button, bar) => { button.disabled = !bar.enabled; });
    }
    this.settleTools();
  }

  setFront(isFront) {
    this.classList.toggle('is-front', isFront);
    this.inert = !isFront;
  }

  /**
   * Carries out undo, redo or save, as a key asks. Whether there is something to undo the process knows: it may
   * be what was typed or undone a moment ago.
   */
  command(name) {
    if (name !== 'save' && this.#entry.kind !== 'document') return;
    this.#scene.perform(`document.${name}`, { document: this.#entry.id });
  }

  /** Brings the keyboard out of the editor. */
  focusDone() { (this.done.hidden ? this.heading : this.done).focus(); }

  // MARK: Building

  #build() {
    this.done = h('button.done', { type: 'button', onclick: () => this.#close() }, strings.done);
    this.undo = toolButton('undo', strings.undo, () => this.command('undo'));
    this.redo = toolButton('redo', strings.redo, () => this.command('redo'));
    this.leading = h('span.bars', {});
    this.trailing = h('span.bars', {});
    this.titleButton = h('button.document-title', { type: 'button', onclick: () => this.#beginRenaming() },
      h('span', {}), icon('rename'));
    this.titleText = h('span.document-title', {});
    this.heading = h('h1', { tabindex: -1 }, this.titleButton, this.titleText);
    this.nameField = h('input.name-field', {
      type: 'text', 'aria-label': strings.newName, autocomplete: 'off', spellcheck: 'false', hidden: true,
      onkeydown: (event) => this.#nameKeyed(event), onblur: () => this.#endRenaming(true, false),
    });
    this.state = h('button.state', { type: 'button', onclick: () => this.#showStateDetail() });
    this.stateText = h('span.state', {});
    this.stateLine = h('div.state-line', { role: 'status' }, this.state, this.stateText);
    this.bar = h('div.document-bar', {},
      h('div.bar-start', {}, this.done, this.leading),
      h('div.bar-middle', {}, this.heading, this.nameField, this.stateLine),
      h('div.bar-end', { role: 'toolbar', 'aria-label': strings.documentToolbar },
        this.undo, this.redo, this.trailing));
    this.append(this.bar);
    this.settleTools = rove(this.bar.lastElementChild);
  }

  #showTitle(entry) {
    const canRename = entry.kind === 'document' && entry.rename;
    this.titleButton.hidden = !canRename;
    this.titleText.hidden = canRename;
    setText(this.titleButton.firstChild, canRename ? entry.title : '');
    setText(this.titleText, canRename ? '' : entry.title);
    setAttributes(this.titleButton, { title: strings.renameTitle(entry.title) });
  }

  #showState({ kind, state }) {
    const hasDetail = Boolean(state?.detail) || Boolean(state?.chooses) || (state?.acts?.length ?? 0) > 0;
    this.stateLine.hidden = kind !== 'document' || !state?.label;
    if (this.stateLine.hidden) return;
    this.stateLine.dataset.state = state.name;
    this.state.hidden = !hasDetail;
    this.stateText.hidden = hasDetail;
    setText(this.state, hasDetail ? state.label : '');
    setText(this.stateText, hasDetail ? '' : state.label);
  }

  // MARK: What the person does

  async #close() {
    this.done.disabled = true;
    // The editor may still be at what was entered last; a closed document would not take it.
    await this.#settle(this.#entry.web);
    await this.#scene.perform('document.done', { document: this.#entry.id });
    this.done.disabled = false;
  }

  /** Why the document is not simply saved, with what helps. */
  #showStateDetail() {
    const { state } = this.#entry;
    if (state.chooses) {
      chooseVersion(this.#scene, this.#entry);
      return;
    }
    const acts = (state.acts ?? []).map((act) => ({ title: act.title, style: 'default', act }));
    const dialog = openDialog({
      title: state.label,
      message: state.detail,
      actions: [{ title: acts.length > 0 ? strings.cancel : strings.ok, style: 'cancel' }, ...acts],
      choose: ({ act }) => {
        dialog.close();
        if (act) this.#scene.perform(act.name, act.arguments);
      },
    });
  }

  #beginRenaming() {
    this.#isRenaming = true;
    this.nameField.value = this.#entry.title;
    this.heading.hidden = true;
    this.nameField.hidden = false;
    this.nameField.focus();
    this.nameField.select();
  }

  #nameKeyed(event) {
    event.stopPropagation();
    if (event.isComposing || !['Enter', 'Escape'].includes(event.key)) return;
    event.preventDefault(); // or Enter would press the button that gets the keyboard back
    if (event.key === 'Enter') this.#endRenaming(true, true);
    else this.#endRenaming(false, true);
  }

  async #endRenaming(isWanted, returnsFocus) {
    if (!this.#isRenaming) return;
    this.#isRenaming = false;
    const before = this.#entry.title;
    const name = this.nameField.value.trim();
    this.nameField.hidden = true;
    this.heading.hidden = false;
    if (returnsFocus) this.titleButton.focus();
    if (!isWanted || name === '' || name === before) return;
    setText(this.titleButton.firstChild, name);
    const answer = await this.#scene.perform('document.rename', { document: this.#entry.id, name });
    setText(this.titleButton.firstChild, answer?.title ?? this.#entry.title);
  }
}

customElements.define('document-view', DocumentView);
