import { h } from '../dom.js';
import { itemPicture } from '../icons/icons.js';

const quietMilliseconds = 60;
const underWayMax = 3;
const keptMax = 300;
/** The largest place for a picture, in CSS pixels. */
const side = 78;

/**
 * The pictures of items: each is asked for when its item has come into view and the list is at rest, is made small at
 * once, and is kept under the item's stamp. Until it is there, and where there is none, the sign of the item's kind is
 * in its place.
 */
export class Thumbnails {
  #scene;
  /** By address; null where there is none. The oldest come first. @type {Map<string, HTMLElement | null>} */
  #kept = new Map();
  /** The address that each place waits for. @type {Map<HTMLElement, string>} */
  #awaited = new Map();
  #underWay = 0;
  #timer = 0;

  /** @param {import('../scene.js').Scene} scene */
  constructor(scene) {
    this.#scene = scene;
    scene.addEventListener('line', () => this.#fetchAwaited());
  }

  /** Puts an item's picture into its place, or has it come. */
  show(place, item) {
    const kind = item.kind === 'folder' ? 'folder' : item.icon;
    const address = item.kind === 'folder' ? '' : this.#address(item);
    if (place.dataset.kind !== kind) {
      place.dataset.kind = kind;
      place.replaceChildren(itemPicture(kind));
    } else if (place.dataset.address === address) {
      return;
    }
    place.dataset.address = address;
    if (address === '' || this.#kept.has(address)) return this.#put(place, this.#kept.get(address));
    this.#awaited.set(place, address);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fetchAwaited(), quietMilliseconds);
  }

  #address({ id, modified, size, sync }) {
    const stamp = `${modified} ${size} ${sync?.here ?? true}`;
    return `/thumbnail?${new URLSearchParams({ tab: this.#scene.tab, item: id, stamp })}`;
  }

  #put(place, picture) {
    if (picture) place.replaceChildren(picture);
    else if (!place.querySelector('svg')) place.replaceChildren(itemPicture(place.dataset.kind));
  }

  #fetchAwaited() {
    // Before it has greeted this tab, the process does not know whose items these are.
    if (!this.#scene.connection.isLive) return;
    for (const [place, address] of this.#awaited) {
      if (this.#underWay >= underWayMax) return;
      this.#awaited.delete(place);
      if (place.isConnected && place.dataset.address === address) this.#fetch(place, address);
    }
  }

  async #fetch(place, address) {
    this.#underWay += 1;
    try {
      const picture = await fetchSmall(address);
      this.#keep(address, picture);
      if (place.dataset.address === address) this.#put(place, picture);
    } catch {
      // Cut off or refused: asked for again when the item is drawn next.
      if (place.dataset.address === address) delete place.dataset.address;
    }
    this.#underWay -= 1;
    this.#fetchAwaited();
  }

  #keep(address, picture) {
    this.#kept.set(address, picture);
    if (this.#kept.size > keptMax) this.#kept.delete(this.#kept.keys().next().value);
  }
}

/** A picture as small as its place, and standing still; null for none, and for one that cannot be drawn. */
async function fetchSmall(address) {
  const answer = await fetch(address);
  if (answer.status === 204) return null;
  // The process does not know who asks, or is gone: that says nothing of the item.
  if (answer.status !== 200) throw new Error(`answered with ${answer.status}`);
  const bytes = await answer.blob();
  let whole;
  try {
    whole = await createImageBitmap(bytes);
  } catch {
    return null; // not what it says that it is
  }
  const scale = Math.min(1, (side * devicePixelRatio) / Math.max(whole.width, whole.height));
  const [width, height] = [whole.width, whole.height].map((length) => Math.max(1, Math.round(length * scale)));
  // The item's name is beside it.
  const small = h('canvas.thumbnail', { width, height, 'aria-hidden': 'true' });
  const pen = small.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(whole, 0, 0, width, height);
  whole.close();
  return small;
}
