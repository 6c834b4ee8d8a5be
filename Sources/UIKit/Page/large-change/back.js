import { openDialog } from '../app-dialog/dialogs.js';
import { h } from '../dom.js';
import { strings } from '../strings.js';
import { words } from './words.js';

/** So many names are listed; of the others only their number is said. */
const namesMax = 20;

/**
 * Asks whether what the last large change has taken is to be what it was, has it done, and says what came of it.
 *
 * @param {import('../scene.js').Scene} scene
 */
export function goBack(scene) {
  const change = scene.store.browser?.lastLargeChange;
  if (!change) return;
  const dialog = openDialog({
    title: words.goBackTitle,
    message: words.goBackMessage(change),
    isAlert: true,
    actions: [
      { title: strings.cancel, style: 'cancel' },
      { title: words.goBackConfirm, style: 'default', goesBack: true },
    ],
    choose: async ({ goesBack }) => {
      dialog.close();
      const outcome = goesBack ? await scene.perform('browser.goBack', { change: change.id }) : undefined;
      if (outcome) tell(scene, outcome);
    },
  });
}

function tell(scene, { count, newer, lost }) {
  if (newer.length + lost.length === 0) {
    scene.notice({ text: words.goesBack(count) });
    return;
  }
  const list = (title, names) => (names.length === 0 ? [] : [
    h('p', {}, title),
    h('ul', {}, ...names.slice(0, namesMax).map((name) => h('li', {}, name)),
      names.length > namesMax ? h('li', {}, words.andMore(names.length - namesMax)) : null),
  ]);
  openDialog({
    title: words.goesBack(count),
    body: h('div.large-change-details', {},
      ...list(words.goBackNewer, newer), ...list(words.goBackLost, lost)),
    actions: [{ title: strings.ok, style: 'cancel' }],
  });
}
