/* The editor of a scrapbook page: a picture and a text, either of which may be missing. */
'use strict';

const byteCountMax = 40_000_000;
const pauseMilliseconds = 1200; // a pause in typing this long ends one step of undoing
const picture = document.getElementById('picture');
const image = document.getElementById('image');
const field = document.getElementById('text');
const fileInput = document.getElementById('file');
let isEditable = true;

const post = (message) => webkit.messageHandlers.scrapbook.postMessage(message);

// MARK: What crosses on the way

/** How many edits of each part the app has not answered yet. */
const unanswered = { text: 0, picture: 0 };
/** Parts that the app has shown meanwhile. */
const passedOver = new Set();

async function postEdit(part, message) {
  unanswered[part] += 1;
  try {
    await post(message);
  } finally {
    unanswered[part] -= 1;
    if (unanswered[part] === 0 && passedOver.delete(part)) post({ kind: 'again', part });
  }
}

/** The app may not have heard of an edit when it shows a part; what counts it is asked for after the answer. */
function mayShow(part) {
  if (unanswered[part] === 0) return true;
  passedOver.add(part);
  return false;
}

// MARK: Text

let hasUnfinishedStep = false;
let pause = 0;

/** A box that grows with its text, where the browser does not do that by itself. */
function fit() {
  if (CSS.supports('field-sizing', 'content')) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}

/** Ends one step of undoing. Says nothing of the text: by now the document may hold another one, not shown here yet. */
function endStep() {
  clearTimeout(pause);
  if (!hasUnfinishedStep) return;
  hasUnfinishedStep = false;
  post({ kind: 'endOfTyping' });
}

field.addEventListener('input', () => {
  fit();
  hasUnfinishedStep = true;
  // The page says what did not arrive.
  postEdit('text', { kind: 'text', text: field.value }).catch(() => {});
  clearTimeout(pause);
  pause = setTimeout(endStep, pauseMilliseconds);
});
field.addEventListener('blur', endStep);
field.addEventListener('keydown', (event) => {
  // Undo is the document's; what was typed so far must be one of its steps first.
  if ((event.ctrlKey || event.metaKey) && /^[zys]$/i.test(event.key)) endStep();
});

/** Where a place in the old text is in the new one, if only what lies between changed. */
function moved(place, before, after) {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start += 1;
  if (place <= start) return place;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  if (place >= before.length - end) return place + after.length - before.length;
  return after.length - end;
}

/** Called by the app: shows the document's text; the caret stays where it was in it. */
function showText(text) {
  const before = field.value;
  if (!mayShow('text') || text === before) return;
  const { selectionStart, selectionEnd, selectionDirection } = field;
  field.value = text;
  field.setSelectionRange(
    moved(selectionStart, before, text), moved(selectionEnd, before, text), selectionDirection,
  );
  fit();
}

// MARK: The caret

let toldCaret = '';
let caretTimer = 0;

/** Tells the app where the caret is, so that it is there again when the editor is loaded anew. */
function tellCaret() {
  clearTimeout(caretTimer);
  caretTimer = setTimeout(() => {
    const { selectionStart: start, selectionEnd: end } = field;
    if (`${start}-${end}` === toldCaret) return;
    toldCaret = `${start}-${end}`;
    post({ kind: 'caret', start, end });
  }, 150);
}

document.addEventListener('selectionchange', () => {
  if (document.activeElement === field) tellCaret();
});
field.addEventListener('input', tellCaret);

/** Called by the app when the editor was loaded anew: the caret goes where it was. */
function placeCaret(start, end) {
  const last = field.value.length;
  field.focus();
  field.setSelectionRange(Math.min(start, last), Math.min(end, last));
}

// MARK: Picture

/** JPEG or PNG by the first bytes, which is what counts; a name or a browser's guess may be wrong. */
async function pictureType(blob) {
  const bytes = new Uint8Array(await blob.slice(0, 8).arrayBuffer());
  const begins = (...signature) => signature.every((byte, at) => bytes[at] === byte);
  if (begins(0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  return null;
}

function sayProblem(text) { document.getElementById('problem').textContent = text; }

/** Shows a blob as it is, without drawing it anew. */
function showBlob(blob) {
  const previous = image.src;
  if (blob === null) image.removeAttribute('src');
  else image.src = URL.createObjectURL(blob);
  if (previous.startsWith('blob:')) URL.revokeObjectURL(previous);
  document.getElementById('frame').hidden = blob === null;
  document.getElementById('invitation').hidden = blob !== null || !isEditable;
}

const inBase64 = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(',') + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(blob);
});

/** Takes a picture from the person, or says why not. */
async function take(blob) {
  if (!isEditable) return;
  const type = await pictureType(blob);
  if (type === null) {
    const name = blob.name ? `“${blob.name}”` : 'This';
    sayProblem(`${name} is neither a JPEG nor a PNG picture. Choose one of those.`);
    return;
  }
  if (blob.size > byteCountMax) {
    const megabytes = (blob.size / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 });
    sayProblem(`This picture has ${megabytes} MB; 40 MB is the most. Choose a smaller one.`);
    return;
  }
  sayProblem('');
  try {
    const data = await inBase64(blob);
    const hadFocus = document.activeElement === document.getElementById('choose');
    showBlob(new Blob([blob], { type }));
    if (hadFocus) document.getElementById('replace').focus();
    await postEdit('picture', { kind: 'image', type, data });
  } catch (error) {
    sayProblem(`The picture could not be taken over: ${error.message}`);
  }
}

function choose() { fileInput.click(); }

document.getElementById('choose').addEventListener('click', choose);
document.getElementById('replace').addEventListener('click', choose);
document.getElementById('remove').addEventListener('click', () => {
  sayProblem('');
  showBlob(null);
  document.getElementById('choose').focus();
  postEdit('picture', { kind: 'removeImage' }).catch(() => {}); // the page says so
});
fileInput.addEventListener('change', () => {
  const [file] = fileInput.files;
  if (file) take(file);
  fileInput.value = '';
});

image.addEventListener('error', () => {
  if (image.hasAttribute('src')) sayProblem('This picture is damaged and cannot be shown.');
});

const holdsFiles = (event) => isEditable && event.dataTransfer?.types.includes('Files');
const sign = (isShown) => picture.classList.toggle('is-target', isShown);
document.addEventListener('dragover', (event) => {
  if (!holdsFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'copy';
  sign(true);
});
document.addEventListener('dragleave', (event) => {
  if (event.relatedTarget === null) sign(false);
});
document.addEventListener('drop', (event) => {
  sign(false);
  if (!holdsFiles(event)) return;
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) take(file);
});
document.addEventListener('paste', (event) => {
  const files = [...(event.clipboardData?.files ?? [])];
  const file = files.find((candidate) => candidate.type.startsWith('image/'));
  if (!file) return;
  event.preventDefault();
  take(file);
});

/** Called by the app: shows the document's picture, or the place for one. */
function showImage(shown) {
  if (!mayShow('picture')) return;
  if (shown === null) {
    showBlob(null);
    return;
  }
  const characters = atob(shown.data);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < characters.length; at += 1) bytes[at] = characters.charCodeAt(at);
  sayProblem('');
  showBlob(new Blob([bytes], { type: shown.type }));
}

/** Called by the app: whether anything can be changed now. */
function setEditable(editable) {
  isEditable = editable;
  document.body.classList.toggle('is-readonly', !editable);
  field.readOnly = !editable;
  document.getElementById('invitation').hidden = !editable || image.hasAttribute('src');
}

setEditable(false); // until the app has shown a page
fit();
post({ kind: 'ready' });
