/**
 * Every word that the page says by itself, but for those in files of words, which the first screen does without. What
 * comes from the app comes in the scene.
 */

export const plural = (count, one, many) => (count === 1 ? one : many.replace('#', count.toLocaleString()));

const percentage = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });

export const strings = {
  // The browser
  documents: 'Documents',
  folderPath: 'Folder path',
  toolbar: 'Documents toolbar',
  selectionToolbar: 'Selected items',
  create: 'New Document',
  newFolder: 'New Folder',
  newFolderName: 'New Folder',
  newFolderNameNext: (number) => `New Folder ${number}`,
  importFiles: 'Import',
  importFolder: 'Import a Folder',
  importHere: (folder) => `Drop to import into “${folder}”`,
  importing: (done, all) => `Importing ${done.toLocaleString()} of ${all.toLocaleString()}`,
  imported: (count) => plural(count, 'Imported one item', 'Imported # items'),
  importFailed: 'The import did not finish',
  importRefused: (name, reason) => (
    `“${name}” did not arrive: ${reason}. Nothing was imported. Try again.`),
  undo: 'Undo',
  redo: 'Redo',
  undoTitled: (title) => `Undo ${title}`,
  redoTitled: (title) => `Redo ${title}`,
  iconsView: 'Icons',
  listView: 'List',
  sortBy: 'Sort By',
  sorted: (by, isDescending) => `${by}, ${isDescending ? 'descending' : 'ascending'}`,
  name: 'Name',
  kind: 'Kind',
  size: 'Size',
  modified: 'Modified',
  more: 'More',
  back: (folder) => `Back to ${folder}`,
  open: 'Open',
  rename: 'Rename',
  duplicate: 'Duplicate',
  cut: 'Cut',
  paste: 'Move Here',
  cutAnnounced: (count) => plural(count, 'One item ready to move', '# items ready to move'),
  trash: 'Move to Trash',
  trashed: (name) => `“${name}” moved to the trash`,
  trashedMany: (count) => `${count.toLocaleString()} items moved to the trash`,
  select: 'Select',
  selectAll: 'Select All',
  selectNone: 'Done',
  selected: (count) => plural(count, '1 selected', '# selected'),
  newName: 'New name',
  folderTitle: 'Folder',
  isOpen: 'open',
  notOpenable: (title) => `This app does not open “${title}”`,
  added: (count) => plural(count, 'One item was added', '# items were added'),
  removed: (count) => plural(count, 'One item was removed', '# items were removed'),
  itemCount: (count) => plural(count, '1 item', '# items'),
  emptyTitle: 'Nothing here yet',
  emptyCreate: 'Make your first document, or bring in files that you already have.',
  emptyImport: 'Bring in files that you already have, or drop them anywhere on this page.',

  // A document
  done: 'Done',
  documentToolbar: 'Document toolbar',
  renameTitle: (title) => `Rename “${title}”`,
  editor: (title) => `${title}, editor`,

  // In step with other devices
  syncStatus: 'Sync Status',
  removeDownload: 'Remove Download',
  downloadNow: 'Download Now',
  cancelDownload: 'Cancel Download',
  pauseSync: 'Pause Sync',
  resumeSync: 'Resume Sync',
  downloading: (title) => `Downloading “${title}”`,
  downloadingMany: (count) => `Downloading ${count.toLocaleString()} documents`,
  sync: {
    settled: 'Up to date',
    waiting: 'Waiting to sync',
    uploading: 'Uploading',
    downloading: 'Downloading',
    paused: 'Sync paused',
    remote: 'Not on this device',
    excluded: 'Stays on this device',
    conflict: 'Versions in conflict',
    error: 'Cannot sync',
    unknown: 'Not known',
  },
  syncInside: (words) => `Inside: ${words}`,
  syncPercent: (words, percent) => `${words}, ${percentage.format(percent / 100)}`,
  percent: (percent) => percentage.format(percent / 100),
  syncStatusOf: (title) => `Sync status of “${title}”`,
  syncCauses: 'Why',
  syncNext: 'What next',
  syncDevices: 'On which devices',
  openToDecide: 'Open to Decide',

  // Large changes
  goBack: 'Go Back to Before the Large Change',

  // Dialogs and notices
  ok: 'OK',
  cancel: 'Cancel',
  close: 'Close',
  dismiss: 'Dismiss',
  notices: 'Notices',
  couldNot: 'That did not work',

  // The connection
  offline: 'Not connected — trying again',
  offlineMore: 'What you do here is kept and sent then.',
  restored: 'Connected again',
  typingLost: 'The program was started anew. What you typed last may be missing; look before you go on.',
  signedOut: 'Open the link that the program printed',
  signedOutMore: 'It was started anew, or the link used here is too old.',

  // Keyboard
  keyboardMap: 'Keyboard',
};
