import { plural } from '../strings.js';

const number = (value) => value.toLocaleString();
const ofAll = (some, all) => `${number(some)} of ${plural(all, 'one item', '# items')} ${some === 1 ? 'was' : 'were'}`;

/** What is said of large changes. */
export const words = {
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
};
