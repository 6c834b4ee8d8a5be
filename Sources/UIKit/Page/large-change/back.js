import { openDialog } from '../app-dialog/dialogs.js';
import { h } from '../dom.js';
import { strings } from '../strings.js';

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
    title: strings.goBackTitle,
    message: strings.goBackMessage(change),
    isAlert: true,
    actions: [
      { title: strings.cancel, style: 'cancel' },
      { title: strings.goBackConfirm, style: 'default', goesBack: true },
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
    scene.notice({ text: strings.goesBack(count) });
    return;
  }
  const list = (title, names) => (names.length === 0 ? [] : [
    h('p', {}, title),
    h('ul', {}, ...names.slice(0, namesMax).map((name) => h('li', {}, name)),
      names.length > namesMax ? h('li', {}, strings.andMore(names.length - namesMax)) : null),
  ]);
  openDialog({
    title: strings.goesBack(count),
    body: h('div.large-change-details', {},
      ...list(strings.goBackNewer, newer), ...list(strings.goBackLost, lost)),
    actions: [{ title: strings.ok, style: 'cancel' }],
  });
}
