/**
 * Every word that the page says by itself, but for those in files of words, which the first screen does without. What
 * comes from the app comes in the scene.
 */

export const plural = (count, one, many) => (count === 1 ? one : many.replace('#', count.toLocaleString()));

const number = (value) => value.toLocaleString();
const ofAll = (some, all) => `${number(some)} of ${plural(all, 'one item', '# items')} ${some === 1 ? 'was' : 'were'}`;

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
  largeChange: 'Large change',
  largeChangeWaits: ({ leaving, waiting, items }) => (
    `A large change waits for you: ${ofAll(waiting, items)} removed or replaced `
    + `${leaving ? 'here' : 'on another device'}.`),
  largeChangeDecide: 'Decide',
  largeChangeTitle: 'Is this large change meant?',
  largeChangeDetails: ({ leaving, waiting, done, items, restorePoint }) => [
    leaving
      ? `${ofAll(waiting, items)} removed or replaced on this device. Other devices hear nothing of that until `
        + 'you say so.'
      : `On another device ${ofAll(waiting, items)} removed or replaced. Nothing of that happens on this device `
        + 'until you say so.',
    done > 0 && plural(
      done, 'One more had gone on before it was seen how many there would be.',
      '# more had gone on before it was seen how many there would be.'),
    `Restore point: entry ${number(restorePoint)} of the log.`,
  ].filter(Boolean),
  largeChangeChoices: [
    'Put It Back: what waits does not happen, and all of it is there again.',
    'Let It Happen: it is carried out. What it took can be had back for 30 days, by the menu More.',
  ],
  largeChangeLater: 'Later',
  largeChangeGoOn: 'Let It Happen',
  largeChangePutBack: 'Put It Back',
  goBack: 'Go Back to Before the Large Change',
  goBackTitle: 'Go back to before the large change?',
  goBackMessage: ({ items, restorePoint }) => `${plural(
    items, 'The item that it removed or replaced becomes what it was before, on every device.',
    'The # items that it removed or replaced become what they were before, on every device.',
  )} What was edited since stays as it is. Restore point: entry ${number(restorePoint)} of the log.`,
  goBackConfirm: 'Go Back',
  goesBack: (count) => plural(count, 'One item comes back', '# items come back'),
  goBackNewer: 'Edited since, and left as they are:',
  goBackLost: 'Nowhere to be had any more:',
  andMore: (count) => plural(count, 'and one more', 'and # more'),

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
