import { h } from '../dom.js';
import { strings } from '../strings.js';

export const makeFrame = (url) => h('iframe.frame', {
  sandbox: 'allow-scripts', src: url, referrerpolicy: 'no-referrer', title: strings.editor(''), inert: true,
});

/**
 * A frame that is loaded before anybody needs it, at an address that has no document yet. The next editor is likely
 * to get that address: its document is written into the frame then, which shows it in half the time of a load.
 */
export class SpareFrame {
  #place;
  #url = null;
  #frame = null;

  /** @param {HTMLElement} place  where frames are; one that moves in the page would load again */
  constructor(place) {
    this.#place = place;
    addEventListener('message', ({ source, data }) => {
      if (data?.sheaf === 'spare' && source === this.#frame?.contentWindow) this.#frame.dataset.isReady = '';
    });
  }

  /**
   * Holds a frame ready, made when the browser has nothing else to do.
   *
   * @param {string | null} url  its address
   */
  hold(url) {
    if (url === this.#url) return;
    this.#drop();
    this.#url = url;
    if (url !== null) whenIdle(() => this.#make(url));
  }

  #make(url) {
    if (url !== this.#url || this.#frame !== null) return;
    this.#frame = makeFrame(url);
    this.#place.append(this.#frame);
  }

  #drop() {
    this.#frame?.remove();
    this.#url = this.#frame = null;
  }

  /** The frame of an address, its document under way; null where none is ready. */
  take(url) {
    if (url !== this.#url) return null;
    const frame = this.#frame?.dataset.isReady === undefined ? null : this.#frame;
    if (frame !== null) {
      this.#frame = null; // so that it stays where it is
      fill(frame, url);
    }
    this.#drop();
    return frame;
  }
}

async function fill(frame, url) {
  try {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(answer.statusText);
    const text = await answer.text();
    frame.contentWindow?.postMessage({ sheaf: 'document', text }, '*'); // it has no origin that could be named
  } catch {
    frame.src = url; // shows what is in the way
  }
}

export const whenIdle = (work) => (globalThis.requestIdleCallback ?? setTimeout)(work);
