import { toolButton } from '../controls.js';
import { h, setText } from '../dom.js';
import { strings } from '../strings.js';

const stayMilliseconds = 8000;
const noticesMax = 3;

/** Passing lines of text at the lower edge, and the voice for assistive technology. */
export class NoticeShelf extends HTMLElement {
  #said = 0;

  /** @param {import('../scene.js').Scene} scene */
  attach(scene) {
    this.scene = scene;
    this.voice = h('p.voice', { role: 'status', 'aria-live': 'polite' });
    this.shelf = h('section.notices', { 'aria-label': strings.notices, hidden: true });
    this.append(this.voice, this.shelf);
    scene.addEventListener('notice', ({ detail }) => this.#show(detail));
    scene.addEventListener('announce', ({ detail }) => this.say(detail));
  }

  /** Has a text read out. The same text twice is two sayings. */
  say(text) {
    this.#said += 1;
    setText(this.voice, this.#said % 2 === 0 ? `${text}\u00a0` : text);
  }

  #show({ text, act, progress }) {
    const line = h('p', {}, text);
    const notice = h('div.notice', {}, line);
    let timer = 0;
    const leave = () => {
      clearTimeout(timer);
      notice.remove();
      this.shelf.hidden = this.shelf.childElementCount === 0;
    };
    const stay = () => { clearTimeout(timer); };
    const wait = () => {
      stay();
      if (!progress) timer = setTimeout(leave, stayMilliseconds);
    };
    if (progress) {
      notice.append(this.#progressParts(progress, line, leave));
    } else {
      if (act) notice.append(this.#actButton(act, leave));
      notice.append(toolButton('close', strings.dismiss, leave));
    }
    for (const name of ['mouseenter', 'focusin']) notice.addEventListener(name, stay);
    for (const name of ['mouseleave', 'focusout']) notice.addEventListener(name, wait);
    this.shelf.append(notice);
    this.shelf.hidden = false;
    while (this.shelf.childElementCount > noticesMax) this.shelf.firstElementChild.remove();
    this.say(act ? `${text}. ${act.title}` : text);
    wait();
  }

  #actButton(act, leave) {
    return h('button.text-button', {
      type: 'button',
      onclick: () => {
        leave();
        if (act.run) act.run();
        else this.scene.perform(act.name, act.arguments);
      },
    }, act.title);
  }

  #progressParts(progress, line, leave) {
    const bar = h('progress', { max: progress.all, value: 0, 'aria-label': line.textContent });
    progress.update = (text) => {
      setText(line, text);
      bar.value = progress.done;
    };
    progress.end = leave;
    return h('span.notice-progress', {}, bar, h('button.text-button', {
      type: 'button',
      onclick: () => {
        progress.cancel();
        leave();
      },
    }, strings.cancel));
  }
}

customElements.define('notice-shelf', NoticeShelf);
