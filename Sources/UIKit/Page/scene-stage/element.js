import { isTextField, keep, prefersLessMotion } from '../dom.js';
import { DocumentView } from '../document-view/element.js';
import { WebFrames } from './web-frames.js';

const curve = 'cubic-bezier(0.3, 0.7, 0.2, 1)';

/**
 * What is presented over the browser: documents and pages, the topmost in front, and under their bars
 * the editors' frames, which stay loaded as long as the scene keeps them.
 */
export class SceneStage extends HTMLElement {
  #front = null;
  /** The item that the last document came out of; where it goes back to. */
  #origin = null;

  /** @param {import('../scene.js').Scene} scene */
  attach(scene) {
    this.scene = scene;
    this.browser = document.querySelector('document-browser');
    this.views = document.createElement('div');
    this.frames = new WebFrames(scene, (key) => this.#documentKey(key));
    this.append(this.views, this.frames.element);
    scene.store.listen((touched) => {
      if (['stack', 'webs', 'spare', 'browser'].some((name) => touched.has(name))) this.#update();
    });
    document.addEventListener('keydown', (event) => this.#keyed(event));
    if (scene.store.app !== null) this.#update();
  }

  async #update() {
    const { stack, webs, spare, browser } = this.scene.store;
    const shown = stack.filter((entry) => entry.kind === 'document' || entry.kind === 'page');
    const front = shown.at(-1) ?? null;
    const before = this.#front;
    this.#front = front;
    if (before !== null && front === null) await this.#leave();
    if (this.#front !== front) return; // something came in front meanwhile
    const settle = (web) => this.frames.settle(web);
    keep(this.views, shown, (entry) => entry.id, () => new DocumentView(this.scene, settle),
      (view, entry) => {
        view.show(entry);
        view.setFront(entry.id === front?.id);
      });
    this.frames.update(webs, front?.web ?? null, front?.title ?? '', spare);
    this.classList.toggle('is-empty', front === null);
    const covers = front !== null;
    this.browser.inert = covers;
    this.inert = !covers;
    this.#setRoles(covers, browser !== null);
    if (before === null && front !== null) this.#enter();
    if (front === null) this.browser.classList.remove('is-covered');
    else if (before?.id !== front.id) this.frames.focus(front.web);
    if (before !== null && front === null) this.browser.resume();
  }

  #setRoles(covers, hasBrowser) {
    if (covers) this.setAttribute('role', 'main');
    else this.removeAttribute('role');
    if (!covers && hasBrowser) this.browser.setAttribute('role', 'main');
    else this.browser.removeAttribute('role');
  }

  // MARK: Coming and going

  #bounds() {
    const { store } = this.scene;
    const open = [...store.items.values()].find((item) => item.open);
    const id = this.browser.list.selection.current ?? open?.id ?? null;
    return id === null ? undefined : this.browser.list.boundsOf(id);
  }

  #steps() {
    const bounds = this.#origin;
    if (prefersLessMotion() || !bounds) return [{ opacity: 0 }, { opacity: 1 }];
    const across = bounds.width / innerWidth;
    const down = bounds.height / innerHeight;
    const small = `translate(${bounds.left}px, ${bounds.top}px) scale(${across}, ${down})`;
    return [{ transform: small }, { transform: 'none' }];
  }

  async #enter() {
    this.#origin = this.#bounds();
    await this.#play(this.#steps(), 160);
    this.browser.classList.toggle('is-covered', this.#front !== null);
  }

  async #leave() {
    this.browser.classList.remove('is-covered');
    this.#origin = this.#bounds();
    await this.#play(this.#steps().reverse(), 160);
  }

  async #play(steps, milliseconds) {
    const duration = prefersLessMotion() ? 120 : milliseconds;
    const animation = this.animate(steps, { duration, easing: curve });
    await animation.finished.catch(() => {}); // a cancelled animation has also ended
  }

  // MARK: Keys

  #view() { return this.#front === null ? null : this.views.kept?.get(this.#front.id); }

  #documentKey(key) {
    const view = this.#view();
    if (key === 'escape') view?.focusDone();
    else if (this.#front?.kind === 'document') view.command(key);
  }

  #keyed(event) {
    if (this.#front === null || event.defaultPrevented) return;
    if (isTextField(event.target) || document.querySelector('dialog[open], .menu:popover-open')) return;
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const command = { z: event.shiftKey ? 'redo' : 'undo', y: 'redo', s: 'save' }[key];
    if (command === undefined) return;
    event.preventDefault();
    this.#documentKey(command);
  }
}

customElements.define('scene-stage', SceneStage);
