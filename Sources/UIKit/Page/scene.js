import { Connection } from './connection.js';
import { Store } from './store.js';
import { strings } from './strings.js';

/**
 * What every component holds on to: the store that mirrors the process's scene, and the ways to say
 * something to the process or to the person.
 *
 * Events: `notice` ({text, act?, progress?}), `announce` (text for assistive technology), `reveal` (item
 * id), `web` (a message for an editor's frame), `line` (the process can hear again).
 */
export class Scene extends EventTarget {
  /** Whether all has come that somebody may need who does something. */
  isWhole = false;

  /**
   * @param {string} tab  this tab's name
   * @param {string} proofKey  what only this page and its process know
   */
  constructor(tab, proofKey) {
    super();
    this.store = new Store();
    this.tab = tab;
    this.connection = new Connection(this.store, tab, proofKey, (message) => this.#handle(message));
  }

  /**
   * Asks the process for something that the person wants.
   * @returns {Promise<any>} rejects with `{title, message}`
   */
  act(name, args = {}) {
    return this.connection.ask({ type: 'act', name, arguments: args });
  }

  /** Asks, and shows the reason if it is refused. Gives undefined then. */
  async perform(name, args = {}) {
    try {
      return await this.act(name, args) ?? {};
    } catch (error) {
      this.problem(error);
      return undefined;
    }
  }

  /**
   * Has a part of the page come that its first screen does without; undefined, and said so, where it cannot. None is taken from
   * whoever answers while the process is not there.
   * @template T
   * @param {() => Promise<T>} load
   * @returns {Promise<T | undefined>}
   */
  async part(load) {
    if (!this.connection.isCutOff || this.isWhole) {
      try {
        return await load();
      } catch (error) {
        console.error(error);
      }
    }
    this.notice({ text: strings.offline });
    return undefined;
  }

  /** Shows that something did not work: `{title, message}`. */
  async problem(detail) {
    const part = await this.part(() => import('./app-dialog/dialogs.js'));
    if (part) part.showProblem(detail);
    else this.notice({ text: detail.message });
  }

  notice(detail) { this.#say('notice', detail); }
  announce(detail) { this.#say('announce', detail); }

  #say(name, detail) { this.dispatchEvent(new CustomEvent(name, { detail })); }

  #handle(message) {
    switch (message.type) {
      case 'web':
        if (message.do === 'reply' && this.connection.settle(message)) return;
        return this.#say('web', message);
      case 'reveal': return this.#say('reveal', message.item);
      case 'notice': return this.notice(message);
      case 'line': return this.#say('line');
      case 'typingLost': return this.notice({ text: strings.typingLost });
      default: console.error(`a message of an unknown type: ${message.type}`);
    }
  }
}
