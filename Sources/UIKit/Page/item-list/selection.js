/**
 * Which items of an ordered list are chosen, and where the keyboard is. No elements here.
 *
 * Invariants
 * 1. Everything in `chosen` is in `order`.
 * 2. `current` is in `order`, or null where `order` is empty or nothing was reached yet.
 */
export class Selection {
  /** @type {string[]} */
  order = [];
  /** @type {Set<string>} */
  chosen = new Set();
  /** @type {string | null} */
  current = null;
  #anchor = null;
  #places = new Map();

  /** Takes a new order over; what is gone is chosen no more, and its neighbour becomes current. */
  setOrder(order) {
    const place = this.placeOf(this.current);
    this.order = order;
    this.#places = new Map(order.map((id, at) => [id, at]));
    for (const id of this.chosen) if (!this.#places.has(id)) this.chosen.delete(id);
    if (this.current !== null && !this.#places.has(this.current)) {
      this.current = order[Math.min(place, order.length - 1)] ?? null;
    }
    if (this.#anchor !== null && !this.#places.has(this.#anchor)) this.#anchor = this.current;
  }

  has(id) { return this.#places.has(id); }
  placeOf(id) { return this.#places.get(id) ?? -1; }

  /** Chooses these alone. */
  choose(ids) {
    const present = ids.filter((id) => this.has(id));
    this.chosen = new Set(present);
    if (present.length > 0) this.current = this.#anchor = present[0];
  }

  toggle(id) {
    if (!this.chosen.delete(id)) this.chosen.add(id);
    this.current = this.#anchor = id;
  }

  /** Chooses everything between where the selection began and this one. */
  extendTo(id) {
    const from = Math.max(0, this.placeOf(this.#anchor ?? this.current));
    const to = this.placeOf(id);
    this.chosen = new Set(this.order.slice(Math.min(from, to), Math.max(from, to) + 1));
    this.current = id;
  }

  all() {
    this.chosen = new Set(this.order);
    this.current ??= this.order[0] ?? null;
  }

  none() { this.chosen.clear(); }

  /** Makes another current, with what the keys held say happens to the selection. */
  moveTo(place, { extends: isExtending = false, leaves = false } = {}) {
    if (this.order.length === 0) return;
    const id = this.order[Math.max(0, Math.min(place, this.order.length - 1))];
    if (isExtending) this.extendTo(id);
    else if (leaves) this.current = id;
    else this.choose([id]);
  }
}
