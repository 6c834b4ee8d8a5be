import { h, setAttributes } from '../dom.js';
import { strings } from '../strings.js';
import { SpareFrame, makeFrame, whenIdle } from './spare-frame.js';

/**
 * @typedef {{frame: HTMLIFrameElement, url: string, port: MessagePort | null, isLoaded: boolean, waiting: any[],
 *   calls: Set<number>, settling: (() => void)[]}} Web  a frame, the end of its bridge's channel, and what is under way
 */

/** A frame that stands still for so long is not waited for. */
const settleMilliseconds = 2000;

/** An empty frame that is never shown: browsers keep the process for sandboxed frames as long as there is one. */
const warmFrame = () => h('iframe.warm', { sandbox: '', srcdoc: '<!doctype html>', hidden: true });

/**
 * The editors' frames. A frame moved in the page would load again, so all live side by side for as long
 * as the scene names them, and one is shown.
 *
 * Each frame's bridge hands over the one end of a channel; calls that come before that wait for it.
 */
export class WebFrames {
  element = h('div.frames');
  #scene;
  #keyed;
  /** @type {Map<string, Web>} */
  #webs = new Map();
  #focusWish = null;
  #spare = new SpareFrame(this.element);

  /**
   * @param {import('../scene.js').Scene} scene
   * @param {(key: 'undo' | 'redo' | 'save' | 'escape') => void} keyed  a document's key was pressed inside
   */
  constructor(scene, keyed) {
    this.#scene = scene;
    this.#keyed = keyed;
    addEventListener('message', (event) => this.#channelOffered(event));
    scene.addEventListener('web', ({ detail }) => this.#call(detail));
    whenIdle(() => this.element.append(warmFrame()));
    scene.addEventListener('line', () => {
      for (const [id, web] of this.#webs) if (web.isLoaded) this.#tellLoaded(id);
    });
    // Dialogs are modal; what had the keyboard before gets it back, but for a frame that had taken it itself.
    document.addEventListener('close', ({ target }) => {
      const { activeElement, body } = document;
      const front = scene.store.stack.at(-1)?.web;
      if (front && (activeElement === body || target.contains(activeElement))) this.focus(front);
    }, { capture: true });
  }

  /**
   * @param {{id: string, url: string}[]} webs
   * @param {string | null} shown  the frame in front
   * @param {string | null} spare  where to hold a frame ready for the next editor
   */
  update(webs, shown, title, spare) {
    const urls = new Map(webs.map(({ id, url }) => [id, url]));
    for (const [id, { frame, url }] of this.#webs) {
      if (urls.get(id) === url) continue;
      frame.remove();
      this.#webs.delete(id);
    }
    for (const { id, url } of webs) {
      const { frame } = this.#webs.get(id) ?? this.#make(id, url);
      const isShown = id === shown;
      frame.classList.toggle('is-shown', isShown);
      setAttributes(frame, { title: isShown ? strings.editor(title) : strings.editor(''), inert: !isShown });
    }
    this.#spare.hold(spare);
  }

  /** Gives a frame the keyboard, now or when it has loaded. */
  focus(id) {
    this.#focusWish = id;
    const web = this.#webs.get(id);
    if (web?.isLoaded) this.#meetFocusWish(id, web);
  }

  /**
   * The frame takes the keyboard itself, before it hears of anything that the process wants of it once it has loaded.
   * Given from here the keyboard would be the page's for a moment: an editor that has put it into one of its fields
   * already would lose it there.
   */
  #meetFocusWish(id, web) {
    if (this.#focusWish !== id || this.#webs.get(id) !== web) return;
    if (document.querySelector('dialog[open]')) return; // until that is closed
    this.#focusWish = null;
    if (!web.frame.classList.contains('is-shown')) return;
    if (web.port === null) web.frame.focus();
    else web.port.postMessage({ do: 'focus' });
  }

  /** Comes back when all that was entered in a frame until now has been sent to the process. */
  settle(id) {
    const web = this.#webs.get(id);
    if (!web?.port) return undefined;
    return new Promise((resolve) => {
      web.settling.push(resolve);
      setTimeout(resolve, settleMilliseconds);
      web.port.postMessage({ do: 'settle' });
    });
  }

  #make(id, url) {
    const spare = this.#spare.take(url);
    const frame = spare ?? makeFrame(url);
    const web = { frame, url, port: null, isLoaded: false, waiting: [], calls: new Set(), settling: [] };
    frame.addEventListener('load', () => {
      frame.classList.add('is-loaded');
      // A file that is no document has no bridge, which says so else; its offer of a channel may come behind this.
      setTimeout(() => web.port === null && this.#meetFocusWish(id, web));
    });
    this.#webs.set(id, web);
    if (spare === null) this.element.append(frame);
    return web;
  }

  #channelOffered(event) {
    if (event.data?.sheaf !== 'bridge' || event.ports.length !== 1) return;
    const found = [...this.#webs].find(([, { frame }]) => frame.contentWindow === event.source);
    if (!found) return;
    const [id, web] = found;
    web.port?.close();
    web.isLoaded = false;
    web.calls.forEach((call) => this.#answer(id, call, { error: 'the page was loaded anew' }));
    web.calls.clear();
    web.settling = [];
    [web.port] = event.ports;
    web.port.onmessage = ({ data }) => this.#said(id, web, data);
    web.waiting.splice(0).forEach((message) => web.port.postMessage(message));
  }

  // MARK: From the process to an editor

  #call(message) {
    const web = this.#webs.get(message.web);
    if (!web) {
      const error = 'the page is not shown';
      if (message.call !== undefined) this.#answer(message.web, message.call, { error });
      return;
    }
    if (message.do === 'load') {
      web.frame.classList.remove('is-loaded');
      web.port?.close();
      web.port = null;
      web.isLoaded = false;
      web.frame.src = web.frame.getAttribute('src');
      return;
    }
    if (message.call !== undefined) web.calls.add(message.call);
    if (web.port === null) web.waiting.push(message);
    else web.port.postMessage(message);
  }

  #answer(id, call, outcome) { this.#scene.connection.tell({ type: 'web', web: id, call, ...outcome }); }

  // MARK: From an editor to the process

  // A new line knows of no frame; it is told of those that have loaded.
  #tellLoaded(id) { this.#scene.connection.tell({ type: 'web', web: id, event: 'loaded' }); }

  async #said(id, web, data) {
    const { connection } = this.#scene;
    switch (data.say) {
      case 'loaded':
        web.isLoaded = true;
        this.#meetFocusWish(id, web);
        return connection.isLive && this.#tellLoaded(id);
      case 'settled': return web.settling.shift()?.();
      case 'key': return this.#keyed(data.key);
      case 'answer':
        web.calls.delete(data.call);
        return this.#answer(id, data.call, 'error' in data ? { error: data.error } : { value: data.value });
      case 'post': return this.#post(id, web, data);
      default: return undefined;
    }
  }

  async #post(id, web, { handler, body, id: reply }) {
    const { port } = web;
    try {
      const value = await this.#scene.connection.ask({ type: 'web', web: id, handler, body });
      port.postMessage({ do: 'reply', id: reply, value });
    } catch (error) {
      port.postMessage({ do: 'reply', id: reply, error: String(error?.message ?? error) });
    }
  }
}
