/** What the map of keys says, which the first screen does without. */
export const keyWords = {
  move: 'Move',
  typeAhead: 'Go to a name',
  open: 'Open',
  parent: 'Enclosing folder',
  rename: 'Rename',
  toggle: 'Select or not',
  extend: 'Extend the selection',
  all: 'Select all',
  escape: 'Select nothing, close what is in front',
  duplicate: 'Duplicate',
  cut: 'Cut, then move here',
  trash: 'Move to trash',
  undo: 'Undo',
  redo: 'Redo',
  create: 'New document',
  folder: 'New folder',
  view: 'Icons or list',
  menu: 'Menu of the selected items',
  help: 'This map',
};

export const typing = 'letters';
export const arrows = 'arrow keys';
