/* The editor of a colour document. It shows what the document says and posts what the person does. */
'use strict';

const channels = ['red', 'green', 'blue'];
const color = { red: 0, green: 0, blue: 0 };
const hexField = document.getElementById('hex');
const hexProblem = document.getElementById('hex-problem');
const swatch = document.getElementById('swatch');
const rows = Object.fromEntries(channels.map((channel) => {
  const row = document.querySelector(`[data-channel="${channel}"]`);
  return [channel, { slider: row.querySelector('.slider'), number: row.querySelector('.number') }];
}));
/** The channel whose slider is being dragged, or null. */
let dragged = null;
/** How many changes the app has not answered yet. */
let unanswered = 0;
/** Whether something of what the app has shown was not drawn. */
let isPassedOver = false;
/** The code that the field was given last. */
let hexShown = hexField.value;

const post = (message) => webkit.messageHandlers.color.postMessage(message);
const hexOf = ({ red, green, blue }) => (
  '#' + [red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')
);

const linear = (value) => (value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ({ red, green, blue }) => (
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
);

/** Draws `color` everywhere but where the person is typing. */
function draw() {
  const hex = hexOf(color);
  swatch.style.backgroundColor = hex;
  // Black is the more legible of the two from this luminance on, and both reach 4.5 : 1 there.
  swatch.style.color = luminance(color) > 0.179 ? '#000000' : '#ffffff';
  document.getElementById('name').textContent = nearestColorName(color);
  document.getElementById('code').textContent = hex;
  for (const channel of channels) {
    const { slider, number } = rows[channel];
    if (slider.value !== String(color[channel])) slider.value = color[channel];
    if (Number(number.value) !== color[channel] || number.value === '') number.value = color[channel];
    slider.style.setProperty('--from', hexOf({ ...color, [channel]: 0 }));
    slider.style.setProperty('--to', hexOf({ ...color, [channel]: 255 }));
    slider.style.setProperty('--now', hex);
  }
  // A code being typed stays; one that only stands there follows the colour.
  if (document.activeElement !== hexField || hexField.value === hexShown) showHex();
}

function showHex() {
  hexShown = hexOf(color);
  hexField.value = hexShown;
  sayHexProblem('');
}

function sayHexProblem(text) {
  hexProblem.textContent = text;
  hexField.setAttribute('aria-invalid', String(text !== ''));
}

/** Takes a change over and posts it; `final` ends one step of undoing. */
async function change(values, final) {
  Object.assign(color, values);
  draw();
  unanswered += 1;
  try {
    await post({ kind: 'change', ...color, final });
  } catch {
    // The page says what did not arrive.
  } finally {
    unanswered -= 1;
    catchUp();
  }
}

/** Asks for what was passed over, once nothing here is in its way. */
function catchUp() {
  if (!isPassedOver || unanswered > 0 || dragged !== null) return;
  isPassedOver = false;
  post({ kind: 'again' });
}

function endDrag() {
  dragged = null;
  catchUp();
}

for (const channel of channels) {
  const { slider, number } = rows[channel];
  slider.addEventListener('pointerdown', () => { dragged = channel; });
  slider.addEventListener('pointerup', endDrag);
  slider.addEventListener('pointercancel', endDrag);
  slider.addEventListener('input', () => change({ [channel]: Number(slider.value) }, false));
  slider.addEventListener('change', () => {
    dragged = null;
    change({ [channel]: Number(slider.value) }, true);
  });
  number.addEventListener('input', () => {
    const value = number.valueAsNumber;
    if (Number.isInteger(value) && value >= 0 && value <= 255) change({ [channel]: value }, false);
  });
  number.addEventListener('change', () => {
    const value = Number.isNaN(number.valueAsNumber) ? color[channel] : Math.round(number.valueAsNumber);
    const inRange = Math.max(0, Math.min(255, value));
    number.value = inRange;
    change({ [channel]: inRange }, true);
  });
}

/** Red, green and blue of what was typed, or null. */
function parseHex(text) {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(text.trim())?.[1];
  if (digits === undefined) return null;
  const pairs = digits.length === 3 ? [...digits].map((digit) => digit + digit) : digits.match(/../g);
  const [red, green, blue] = pairs.map((pair) => parseInt(pair, 16));
  return { red, green, blue };
}

function takeHex() {
  const parsed = parseHex(hexField.value);
  if (parsed === null) {
    sayHexProblem('Three or six digits from 0 to 9 and A to F, like #1E90FF.');
    return;
  }
  const differs = channels.some((channel) => parsed[channel] !== color[channel]);
  if (differs) change(parsed, true);
  showHex();
}

hexField.addEventListener('change', takeHex);
hexField.addEventListener('input', () => {
  if (parseHex(hexField.value) !== null) sayHexProblem('');
});
hexField.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || hexField.value === hexShown) return;
  event.preventDefault();
  showHex();
});
document.getElementById('controls').addEventListener('submit', (event) => event.preventDefault());
// A form of several fields has no button here; Enter in one takes its value over.
document.getElementById('controls').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && event.target === hexField) {
    event.preventDefault();
    takeHex();
  } else if (event.key === 'Enter' && event.target.matches('.number')) {
    event.target.dispatchEvent(new Event('change', { bubbles: true }));
  }
});

/**
 * Called by the app: shows the document's colour. What is being dragged stays under the finger; and of a change that
 * the app has not answered it may not have heard when it showed this.
 */
function show(shown) {
  if (unanswered > 0) {
    isPassedOver = true;
    return;
  }
  for (const channel of channels) {
    if (channel !== dragged) color[channel] = shown[channel];
    else if (color[channel] !== shown[channel]) isPassedOver = true;
  }
  document.querySelector('main').hidden = false;
  draw();
}

/** Called by the app: whether anything can be changed now. */
function setEditable(editable) {
  for (const field of document.querySelectorAll('#controls input')) field.disabled = !editable;
  if (!editable) endDrag();
}

post({ kind: 'ready' });
