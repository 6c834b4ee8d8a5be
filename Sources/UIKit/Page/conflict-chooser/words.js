import { plural } from '../strings.js';

/** What is said of versions in conflict. */
export const words = {
  conflictTitle: (title) => `Which “${title}” is it to be?`,
  conflictMessage: 'It was changed in two places. Nothing is thrown away: the one you do not choose stays '
    + 'among the versions.',
  conflictMine: 'This document',
  conflictOther: 'The other version',
  conflictBy: (writer) => `Written by ${writer}`,
  conflictMerged: 'Both in one',
  conflictSpots: (count) => plural(
    count, 'In one place both changed the same, and one of them stands',
    'In # places both changed the same, and one of them stands'),
  conflictNoSpots: 'Nothing was changed twice',
  conflictKeep: 'Keep This One',
  conflictTake: 'Take This One',
  conflictBoth: 'Keep Both',
  conflictLater: 'Decide Later',
  omitted: (count) => plural(count, '⋯ one line is the same', '⋯ # lines are the same'),
  omittedMore: (count) => plural(count, '⋯ one more line', '⋯ # more lines'),
  onlyHere: 'only here',
  memberDiffers: 'differs',
  membersSame: 'All its parts are in the other one, too',
  noPreview: 'It cannot be shown here',
  picturePreview: 'Picture',
  emptyText: 'Empty',
};
