import { h, setText } from '../dom.js';
import { icon } from '../icons/icons.js';
import { strings } from '../strings.js';

/** Says when the page is cut off, and what to do. */
export class ConnectionBar extends HTMLElement {
  #wasOff = false;

  /** @param {import('../scene.js').Scene} scene */
  attach(scene) {
    this.scene = scene;
    this.text = h('span', {});
    this.detail = h('span.connection-detail', {});
    this.bar = h('div.connection', { role: 'status', hidden: true }, icon('offline'), this.text, this.detail);
    this.append(this.bar);
    scene.store.listen((touched) => {
      if (touched.has('connection')) this.#update();
    });
  }

  #update() {
    const { connection } = this.scene.store;
    const isOff = connection === 'off' || connection === 'signedOut';
    this.bar.hidden = !isOff;
    document.documentElement.classList.toggle('is-cut-off', isOff);
    if (connection === 'off') {
      setText(this.text, strings.offline);
      setText(this.detail, strings.offlineMore);
    } else if (connection === 'signedOut') {
      setText(this.text, strings.signedOut);
      setText(this.detail, strings.signedOutMore);
    } else if (connection === 'live' && this.#wasOff) {
      this.scene.announce(strings.restored);
    }
    this.#wasOff = isOff;
    document.documentElement.style.setProperty('--connection-height', `${this.bar.offsetHeight}px`);
  }
}

customElements.define('connection-bar', ConnectionBar);
