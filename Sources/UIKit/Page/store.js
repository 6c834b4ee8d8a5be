const guessMilliseconds = 3000;

/**
 * The page's copy of the scene, and nothing else: every change comes from the process, except the
 * guesses that show an act's outcome before its answer.
 *
 * Invariants
 * 1. `items` holds what the process said of `browser.folder`, and nothing of another folder.
 * 2. A guess lives until its act is answered, and past that until the process says the same, an undo or
 *    redo is answered, or a few seconds have gone: what is taken back at once may never be said at all.
 * 3. Listeners run once after a message, with the sections that it touched.
 */
export class Store {
  rev = 0;
  /** @type {{name: string, tint: string} | null} */
  app = null;
  browser = null;
  /** @type {Map<string, any>} */
  items = new Map();
  stack = [];
  webs = [];
  spare = null;
  /** @type {'connecting' | 'live' | 'off' | 'signedOut'} */
  connection = 'connecting';

  #listeners = new Set();
  #touched = new Set();
  #hidden = new Set();
  /** What items are shown under, by id: guesses in the order of the acts, each an object of its own. */
  #titles = new Map();

  /**
   * @param {(touched: Set<string>, details: {put?: any[], drop?: string[]}) => void} listener
   * @returns {() => void} stops listening
   */
  listen(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Takes in a message of the process that is about the scene.
   * @returns {boolean} false where a message before this one was missed
   */
  receive(message) {
    if (message.type === 'hello') this.#hello(message);
    else if (this.rev + 1 !== message.rev) return false;
    else if (message.type === 'change') this.#change(message);
    else if (message.type === 'items') this.#itemsChanged(message);
    this.rev = message.rev;
    return true;
  }

  set(property, value) {
    if (this[property] === value) return;
    this[property] = value;
    this.#touch(property);
  }

  /** What the list shows: the items with the guesses applied. */
  shownItems() {
    const shown = [];
    for (const item of this.items.values()) {
      if (this.#hidden.has(item.id)) continue;
      const guess = this.#titles.get(item.id)?.at(-1);
      shown.push(guess === undefined ? item : { ...item, title: guess.title });
    }
    return shown;
  }

  /** Shows items as gone until the returned function is called with whether they really are. */
  guessGone(ids) {
    ids.forEach((id) => this.#hidden.add(id));
    this.#touch('items');
    return (isGone) => {
      const showAgain = (gone) => {
        gone.forEach((id) => this.#hidden.delete(id));
        this.#touch('items');
      };
      if (!isGone) showAgain(ids);
      else setTimeout(() => showAgain(ids), guessMilliseconds);
    };
  }

  /** Ends every guess. */
  forgetGuesses() {
    this.#hidden.clear();
    this.#titles.clear();
    this.#touch('items');
  }

  /**
   * Shows an item under another title until the returned function is called with how it went. What was guessed before
   * is shown again where it went wrong.
   */
  guessTitle(id, title) {
    const guess = { title };
    this.#titles.set(id, [...(this.#titles.get(id) ?? []), guess]);
    this.#touch('items');
    return (isRenamed) => {
      if (!this.items.has(id)) this.#titles.delete(id);
      else if (!isRenamed) this.#titles.set(id, this.#titles.get(id)?.filter((other) => other !== guess) ?? []);
      this.#touch('items');
    };
  }

  #hello({ app, scene }) {
    this.app = app;
    this.#hidden.clear();
    this.#titles.clear();
    this.#replace({ browser: null, items: [], stack: [], webs: [], spare: null, ...scene });
    this.#touch('app');
  }

  #change({ scene }) {
    if (scene.browser && scene.browser.folder !== this.browser?.folder && !scene.items) this.items.clear();
    this.#replace(scene);
  }

  #replace(scene) {
    for (const name of ['browser', 'stack', 'webs', 'spare']) {
      if (name in scene) {
        this[name] = scene[name];
        this.#touch(name);
      }
    }
    if ('items' in scene) {
      this.items = new Map(scene.items.map((item) => [item.id, item]));
      for (const id of this.#hidden) if (!this.items.has(id)) this.#hidden.delete(id);
      this.#titles.clear();
      this.#touch('items');
    }
  }

  #itemsChanged({ folder, put = [], drop = [] }) {
    if (folder !== this.browser?.folder) return;
    const added = put.filter((item) => !this.items.has(item.id));
    for (const id of drop) {
      this.items.delete(id);
      this.#hidden.delete(id);
      this.#titles.delete(id);
    }
    for (const item of put) {
      this.items.set(item.id, item);
      this.#titles.delete(item.id);
    }
    this.#touch('items');
    this.#details = { put: added, drop };
  }

  #details = {};

  #touch(...names) {
    if (this.#touched.size === 0) queueMicrotask(() => this.#tell());
    names.forEach((name) => this.#touched.add(name));
  }

  #tell() {
    const touched = this.#touched;
    const details = this.#details;
    this.#touched = new Set();
    this.#details = {};
    for (const listener of this.#listeners) listener(touched, details);
  }
}
