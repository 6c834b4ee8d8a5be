import { h } from '../dom.js';
import { strings } from '../strings.js';

/**
 * One file on its way in, and its path inside what was dropped.
 * @typedef {{file: File, path: string}} Arrival
 */

/** Everything below a dropped entry. @returns {Promise<Arrival[]>} */
async function arrivalsBelow(entry) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
    return [{ file, path: entry.fullPath.replace(/^\//, '') }];
  }
  const reader = entry.createReader();
  const found = [];
  // A reader gives at most 100 entries at a time, and an empty list at the end.
  for (;;) {
    const some = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
    if (some.length === 0) return found;
    for (const child of some) found.push(...await arrivalsBelow(child));
  }
}

/** Brings files and whole folders in, chosen or dropped. */
export class Imports {
  #scene;
  #browser;

  /** @param {import('./element.js').DocumentBrowser} browser */
  constructor(browser) {
    this.#scene = browser.scene;
    this.#browser = browser;
  }

  /** Lets the person choose files, or one folder with all that is in it. */
  choose({ folder = false } = {}) {
    const input = h('input', { type: 'file', multiple: true, webkitdirectory: folder, hidden: true });
    input.addEventListener('change', () => {
      this.bringIn([...input.files].map((file) => ({ file, path: file.webkitRelativePath || file.name })));
      input.remove();
    });
    input.addEventListener('cancel', () => input.remove());
    document.body.append(input);
    input.click();
  }

  /** @param {Arrival[]} arrivals */
  async bringIn(arrivals) {
    if (arrivals.length === 0) return;
    const { folder } = this.#scene.store.browser;
    const batch = crypto.randomUUID().replaceAll('-', '');
    const aborting = new AbortController();
    const progress = { done: 0, all: arrivals.length, cancel: () => aborting.abort(), end: () => {} };
    this.#scene.notice({ text: strings.importing(0, arrivals.length), progress });
    try {
      for (const arrival of arrivals) {
        await this.#upload(arrival, batch, aborting.signal);
        progress.done += 1;
        progress.update?.(strings.importing(progress.done, progress.all));
      }
      progress.end();
      const answer = await this.#scene.perform('browser.import', { batch, folder });
      if (answer?.items) {
        this.#browser.list.chooseWhenThere(answer.items);
        this.#scene.notice({ text: strings.imported(answer.items.length) });
      }
    } catch (error) {
      progress.end();
      // What has come so far is of no use. Where this cannot be said it goes with the tab.
      this.#scene.act('browser.abandon', { batch }).catch(() => {});
      if (!aborting.signal.aborted) this.#scene.problem(error);
    }
  }

  async #upload({ file, path }, batch, signal) {
    const query = new URLSearchParams({ tab: this.#scene.tab, batch, path });
    const refused = (reason) => ({
      title: strings.importFailed, message: strings.importRefused(file.name, reason),
    });
    // Not to another program that has taken the port.
    if (this.#scene.connection.isCutOff) throw refused(strings.offline);
    let answer;
    try {
      answer = await fetch(`/upload?${query}`, { method: 'POST', body: file, signal });
    } catch (error) {
      throw refused(error.message);
    }
    if (!answer.ok) throw refused((await answer.text()) || `${answer.status}`);
  }

  /**
   * @param {FileSystemEntry[]} entries  what was dropped, where the browser says what is in folders
   * @param {File[]} files  what was dropped
   */
  async takeDropped(entries, files) {
    try {
      const arrivals = entries.length > 0
        ? (await Promise.all(entries.map(arrivalsBelow))).flat()
        : files.map((file) => ({ file, path: file.name }));
      await this.bringIn(arrivals);
    } catch (error) {
      this.#scene.problem({ title: strings.importFailed, message: error.message });
    }
  }
}
