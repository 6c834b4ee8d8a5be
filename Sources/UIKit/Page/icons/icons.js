/**
 * The one set of icons: 24 units, stroke 2, coloured by the text around them. The shapes are from
 * Lucide; their licence is in LICENSE beside this file.
 */

/** @type {Readonly<Record<string, string>>} */
const shapes = {
  plus: '<path d="M5 12h14"/><path d="M12 5v14"/>',
  newFolder: '<path d="M12 10v6"/><path d="M9 13h6"/><path d="M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 '
    + '1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 '
    + '2Z"/>',
  import: '<path d="M12 3v12"/><path d="m17 8-5-5-5 5"/>'
    + '<path d="M21 15v4a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-4"/>',
  undo: '<path d="M9 14 4 9l5-5"/><path d="M4 9h10.5a5.5 5.5 0 0 1 5.5 5.5a5.5 5.5 0 0 1-5.5 5.5H11"/>',
  redo: '<path d="m15 14 5-5-5-5"/><path d="M20 9H9.5A5.5 5.5 0 0 0 4 14.5A5.5 5.5 0 0 0 9.5 20H13"/>',
  grid: '<rect width="7" height="7" x="3" y="3" rx="1"/>'
    + '<rect width="7" height="7" x="14" y="3" rx="1"/>'
    + '<rect width="7" height="7" x="14" y="14" rx="1"/>'
    + '<rect width="7" height="7" x="3" y="14" rx="1"/>',
  list: '<path d="M3 5h.01"/><path d="M3 12h.01"/><path d="M3 19h.01"/><path d="M8 5h13"/>'
    + '<path d="M8 12h13"/><path d="M8 19h13"/>',
  sort: '<path d="m21 16-4 4-4-4"/><path d="M17 20V4"/><path d="m3 8 4-4 4 4"/><path d="M7 4v16"/>',
  more: '<circle cx="12" cy="12" r="1"/><circle cx="19" cy="12" r="1"/><circle cx="5" cy="12" r="1"/>',
  trash: '<path d="M10 11v6"/><path d="M14 11v6"/>'
    + '<path d="M19 6v14a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V6"/><path d="M3 6h18"/>'
    + '<path d="M8 6V4a2 2 0 0 1 2-2h4a2 2 0 0 1 2 2v2"/>',
  copy: '<rect width="14" height="14" x="8" y="8" rx="2" ry="2"/>'
    + '<path d="M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2"/>',
  rename: '<path d="M21.174 6.812a1 1 0 0 0-3.986-3.987L3.842 16.174a2 2 0 0 '
    + '0-.5.83l-1.321 4.352a.5.5 0 0 0 .623.622l4.353-1.32a2 2 0 0 0 '
    + '.83-.497z"/><path d="m15 5 4 4"/>',
  next: '<path d="m9 18 6-6-6-6"/>',
  back: '<path d="m15 18-6-6 6-6"/>',
  down: '<path d="m6 9 6 6 6-6"/>',
  up: '<path d="m18 15-6-6-6 6"/>',
  check: '<path d="M20 6 9 17l-5-5"/>',
  close: '<path d="M18 6 6 18"/><path d="m6 6 12 12"/>',
  select: '<circle cx="12" cy="12" r="10"/><path d="m9 12 2 2 4-4"/>',
  keyboard: '<path d="M10 8h.01"/><path d="M12 12h.01"/><path d="M14 8h.01"/>'
    + '<path d="M16 12h.01"/><path d="M18 8h.01"/><path d="M6 8h.01"/><path d="M7 16h10"/>'
    + '<path d="M8 12h.01"/><rect width="20" height="16" x="2" y="4" rx="2"/>',
  info: '<circle cx="12" cy="12" r="10"/><path d="M12 16v-4"/><path d="M12 8h.01"/>',
  share: '<path d="M12 2v13"/><path d="m16 6-4-4-4 4"/>'
    + '<path d="M4 12v8a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-8"/>',
  search: '<path d="m21 21-4.34-4.34"/><circle cx="11" cy="11" r="8"/>',
  star: '<path d="M11.525 2.295a.53.53 0 0 1 .95 0l2.31 4.679a2.123 2.123 0 0 '
    + '0 1.595 1.16l5.166.756a.53.53 0 0 1 .294.904l-3.736 3.638a2.123 2.123 '
    + '0 0 0-.611 1.878l.882 5.14a.53.53 0 0 1-.771.56l-4.618-2.428a2.122 '
    + '2.122 0 0 0-1.973 0L6.396 21.01a.53.53 0 0 1-.77-.56l.881-5.139a2.122 '
    + '2.122 0 0 0-.611-1.879L2.16 9.795a.53.53 0 0 1 '
    + '.294-.906l5.165-.755a2.122 2.122 0 0 0 1.597-1.16z"/>',
  settings: '<path d="M9.671 4.136a2.34 2.34 0 0 1 4.659 0 2.34 2.34 0 0 0 3.319 '
    + '1.915 2.34 2.34 0 0 1 2.33 4.033 2.34 2.34 0 0 0 0 3.831 2.34 2.34 0 '
    + '0 1-2.33 4.033 2.34 2.34 0 0 0-3.319 1.915 2.34 2.34 0 0 1-4.659 0 '
    + '2.34 2.34 0 0 0-3.32-1.915 2.34 2.34 0 0 1-2.33-4.033 2.34 2.34 0 0 0 '
    + '0-3.831A2.34 2.34 0 0 1 6.35 6.051a2.34 2.34 0 0 0 3.319-1.915"/>'
    + '<circle cx="12" cy="12" r="3"/>',
  open: '<path d="M15 3h6v6"/><path d="M10 14 21 3"/>'
    + '<path d="M18 13v6a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V8a2 2 0 0 1 2-2h6"/>',
  cut: '<circle cx="6" cy="6" r="3"/><path d="M8.12 8.12 12 12"/>'
    + '<path d="M20 4 8.12 15.88"/><circle cx="6" cy="18" r="3"/>'
    + '<path d="M14.8 14.8 20 20"/>',
  paste: '<path d="M11 14h10"/><path d="M16 4h2a2 2 0 0 1 2 2v1.344"/>'
    + '<path d="m17 18 4-4-4-4"/><path d="M8 4H6a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h12a2 2 0 0 0 '
    + '1.793-1.113"/><rect x="8" y="2" width="8" height="4" rx="1"/>',
  folder: '<path d="M20 20a2 2 0 0 0 2-2V8a2 2 0 0 0-2-2h-7.9a2 2 0 0 '
    + '1-1.69-.9L9.6 3.9A2 2 0 0 0 7.93 3H4a2 2 0 0 0-2 2v13a2 2 0 0 0 2 '
    + '2Z"/>',
  document: '<path d="M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 '
    + '1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2z"/>'
    + '<path d="M14 2v5a1 1 0 0 0 1 1h5"/>',
  text: '<path d="M21 5H3"/><path d="M15 12H3"/><path d="M17 19H3"/>',
  image: '<rect width="18" height="18" x="3" y="3" rx="2" ry="2"/>'
    + '<circle cx="9" cy="9" r="2"/><path d="m21 15-3.086-3.086a2 2 0 0 0-2.828 0L6 21"/>',
  package: '<path d="M11 21.73a2 2 0 0 0 2 0l7-4A2 2 0 0 0 21 16V8a2 2 0 0 '
    + '0-1-1.73l-7-4a2 2 0 0 0-2 0l-7 4A2 2 0 0 0 3 8v8a2 2 0 0 0 1 1.73z"/>'
    + '<path d="M12 22V12"/><polyline points="3.29 7 12 12 20.71 7"/>'
    + '<path d="m7.5 4.27 9 5.15"/>',
  offline: '<path d="m19 5 3-3"/><path d="m2 22 3-3"/><path d="M6.3 20.3a2.4 2.4 0 0 0 3.4 0L12 18l-6-6-2.3 2.3a2.4 2.4 0 0 '
    + '0 0 3.4Z"/><path d="M7.5 13.5 10 11"/><path d="M10.5 16.5 13 14"/><path d="m12 6 6 6 2.3-2.3a2.4 2.4 0 0 0 0-3.4l-2.6-2.6a2.4 2.4 0 0 '
    + '0-3.4 0Z"/>',
  tabs: '<rect x="2" y="4" width="20" height="16" rx="2"/><path d="M10 4v4"/>'
    + '<path d="M2 8h20"/><path d="M6 4v4"/>',
};

/** Symbols that apps name for their bar buttons, and our shape for each. */
const symbols = {
  'plus': 'plus', 'trash': 'trash', 'square.and.arrow.up': 'share', 'square.and.arrow.down': 'import',
  'info.circle': 'info', 'info': 'info', 'magnifyingglass': 'search', 'star': 'star', 'gear': 'settings',
  'gearshape': 'settings', 'ellipsis': 'more', 'ellipsis.circle': 'more', 'doc.on.doc': 'copy',
  'pencil': 'rename', 'square.and.pencil': 'rename', 'folder': 'folder', 'folder.badge.plus': 'newFolder',
  'photo': 'image', 'doc': 'document', 'doc.text': 'text', 'xmark': 'close', 'checkmark': 'check',
};

const svgNamespace = 'http://www.w3.org/2000/svg';

/** An SVG element, hidden from assistive technology, that fills 20 px or as its class says. */
const draw = (inner, box, className) => {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('viewBox', box);
  svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = inner;
  return svg;
};

/** The icon of a name of ours. */
export const icon = (name) => draw(shapes[name] ?? shapes.document, '0 0 24 24', 'icon');

/** Our icon's name for a symbol that an app names, or null where we have none. */
export const symbolIcon = (symbol) => symbols[symbol] ?? (symbol in shapes ? symbol : null);

const sheet = '<path class="sheet" d="M12 3.5h28.6L56.5 19.4V66a4.5 4.5 0 0 1-4.5 4.5H12'
  + 'A4.5 4.5 0 0 1 7.5 66V8A4.5 4.5 0 0 1 12 3.5Z"/>'
  + '<path class="fold" d="M40.5 3.5v11.4a4.5 4.5 0 0 0 4.5 4.5h11.5Z"/>';
const glyph = (name) => `<g class="glyph" transform="translate(20 31)">${shapes[name]}</g>`;
const pictures = {
  folder: '<path class="folder-back" d="M4 20a5 5 0 0 1 5-5h15.5a5 5 0 0 1 3.6 1.5l3.3 3.5H55'
    + 'a5 5 0 0 1 5 5v33a5 5 0 0 1-5 5H9a5 5 0 0 1-5-5Z"/>'
    + '<path class="folder-front" d="M4 30a4 4 0 0 1 4-4h48a4 4 0 0 1 4 4v28a5 5 0 0 1-5 5H9a5 5 0 0 1-5-5Z"/>',
  document: sheet + '<g class="glyph" transform="translate(20 31)"><circle cx="12" cy="12" r="7.5"/></g>',
  image: sheet + glyph('image'),
  text: sheet + glyph('text'),
  package: sheet + glyph('package'),
};

/** The picture that stands for an item's kind: a sheet of paper with a sign on it, or a folder. */
export const itemPicture = (kind) => draw(pictures[kind] ?? pictures.document, '0 0 64 74', 'picture');
