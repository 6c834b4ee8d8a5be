/** Drawings: the icons of icons.svg beside this file, and the pictures that stand for items. */

/** Symbols that apps name for their bar buttons, and our shape for each. */
const symbols = {
  'plus': 'plus', 'trash': 'trash', 'square.and.arrow.up': 'share', 'square.and.arrow.down': 'import',
  'info.circle': 'info', 'info': 'info', 'magnifyingglass': 'search', 'star': 'star', 'gear': 'settings',
  'gearshape': 'settings', 'ellipsis': 'more', 'ellipsis.circle': 'more', 'doc.on.doc': 'copy',
  'pencil': 'rename', 'square.and.pencil': 'rename', 'folder': 'folder', 'folder.badge.plus': 'newFolder',
  'photo': 'image', 'doc': 'document', 'doc.text': 'text', 'xmark': 'close', 'checkmark': 'check',
};

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An SVG element, hidden from assistive technology. */
const draw = (inner, box, className) => {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', box);
  svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = inner;
  return svg;
};
const use = (name) => `<use href="#icon-${name}" width="24" height="24"/>`;

// The drawings stand in the page: a file that is referred to would be asked for whenever an icon comes anew.
const drawings = document.createElement('div');
drawings.hidden = true;
drawings.innerHTML = await (await fetch('/page/icons/icons.svg')).text();
document.body.append(drawings);

/** The icon of a name of ours. */
export const icon = (name) => draw(use(name), '0 0 24 24', 'icon');

/** A ring that fills: how much of something is done, 0 to 100. */
export const ring = (percent) => draw(
  '<circle class="ring-ground" cx="12" cy="12" r="9"/>'
    + '<circle class="ring-done" cx="12" cy="12" r="9" pathLength="100" transform="rotate(-90 12 12)"'
    + ` stroke-dasharray="${percent} 100"/>`,
  '0 0 24 24', 'icon ring');

/** Our icon's name for a symbol that an app names, or null where we have none. */
export const symbolIcon = (symbol) => symbols[symbol] ?? null;

const sheet = '<path class="sheet" d="M12 3.5h28.6L56.5 19.4V66a4.5 4.5 0 0 1-4.5 4.5H12'
  + 'A4.5 4.5 0 0 1 7.5 66V8A4.5 4.5 0 0 1 12 3.5Z"/>'
  + '<path class="fold" d="M40.5 3.5v11.4a4.5 4.5 0 0 0 4.5 4.5h11.5Z"/>';
const glyph = (name) => `<g class="glyph" transform="translate(20 31)">${use(name)}</g>`;
const pictures = {
  folder: '<path class="folder-back" d="M4 20a5 5 0 0 1 5-5h15.5a5 5 0 0 1 3.6 1.5l3.3 3.5H55'
    + 'a5 5 0 0 1 5 5v33a5 5 0 0 1-5 5H9a5 5 0 0 1-5-5Z"/>'
    + '<path class="folder-front" d="M4 30a4 4 0 0 1 4-4h48a4 4 0 0 1 4 4v28a5 5 0 0 1-5 5H9'
    + 'a5 5 0 0 1-5-5Z"/>',
  document: sheet + '<g class="glyph" transform="translate(20 31)"><circle cx="12" cy="12" r="7.5"/></g>',
  image: sheet + glyph('image'),
  text: sheet + glyph('text'),
  package: sheet + glyph('package'),
};

/** The picture that stands for an item's kind: a sheet of paper with a sign on it, or a folder. */
export const itemPicture = (kind) => draw(pictures[kind] ?? pictures.document, '0 0 64 74', 'picture');
