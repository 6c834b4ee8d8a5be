/** Small tools for making and keeping elements. */

/**
 * Makes an element.
 * @param {string} tag  name, with classes after dots: `button.primary`
 * @param {Record<string, any>} [properties]  `on…` functions listen; the rest are attributes, where
 *   null and false leave one out and true sets it empty
 * @param {...(Node | string | null | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(' ');
  setAttributes(element, properties);
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

/** Sets what differs, and takes away what is null or false. */
export function setAttributes(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else {
      const text = value === true ? '' : String(value);
      if (element.getAttribute(name) !== text) element.setAttribute(name, text);
    }
  }
}

/** Sets an element's text where it differs, so that a selection in it survives. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes a parent's children follow a list, keeping the element of each key that stays.
 * @template T
 * @param {HTMLElement} parent
 * @param {T[]} list
 * @param {(value: T) => string} keyOf
 * @param {(value: T) => HTMLElement} make
 * @param {(element: HTMLElement, value: T, index: number) => void} [update]
 */
export function keep(parent, list, keyOf, make, update = () => {}) {
  const present = parent.kept ?? new Map();
  const next = new Map();
  list.forEach((value, index) => {
    const key = keyOf(value);
    const element = present.get(key) ?? make(value);
    update(element, value, index);
    next.set(key, element);
  });
  for (const [key, element] of present) if (!next.has(key)) element.remove();
  let place = parent.firstChild;
  for (const element of next.values()) {
    if (element === place) place = place.nextSibling;
    else parent.insertBefore(element, place);
  }
  parent.kept = next;
}

/** Whether typing belongs to this element. */
export function isTextField(element) {
  return element instanceof HTMLElement && element.matches('input, textarea, [contenteditable=true]');
}

/** Whether the page is laid out for a phone. */
export const isPhone = () => matchMedia('(max-width: 600px)').matches;
export const prefersLessMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** Whether the platform's command key is held: ⌘ on a Mac, Ctrl elsewhere. */
export const hasCommandKey = (event) => (isMac ? event.metaKey : event.ctrlKey);

/** One tab stop for a toolbar; the arrow keys move inside it. */
export function rove(toolbar) {
  const stops = () => [...toolbar.querySelectorAll('button, a[href]')]
    .filter((button) => !button.disabled && button.checkVisibility());
  const settle = (chosen) => {
    const all = stops();
    const current = chosen ?? all.find((button) => button.tabIndex === 0) ?? all[0];
    for (const button of toolbar.querySelectorAll('button, a[href]')) {
      button.tabIndex = button === current ? 0 : -1;
    }
  };
  toolbar.addEventListener('focusin', (event) => {
    const button = event.target.closest('button, a[href]');
    if (button) settle(button);
  });
  toolbar.addEventListener('keydown', (event) => {
    const all = stops();
    const at = all.indexOf(document.activeElement);
    if (at < 0 || isTextField(event.target)) return;
    const forward = getComputedStyle(toolbar).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight';
    const to = { [forward]: at + 1, [backward]: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    all[(to + all.length) % all.length].focus();
  });
  settle();
  return settle;
}
