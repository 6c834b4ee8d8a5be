/** Puts the page together. */
import './connection-bar/element.js';
import './document-browser/element.js';
import './notice-shelf/element.js';
import { tabName } from './connection.js';
import { Scene } from './scene.js';
import { strings } from './strings.js';
import { applyTint } from './tint.js';

const { proofKey, ...first } = JSON.parse(document.getElementById('first').textContent);
const scene = new Scene(await tabName(), proofKey);
const { store } = scene;
const opening = document.getElementById('opening');
const browser = document.querySelector('document-browser');
const stage = document.querySelector('scene-stage');

/** What the page's frame shows of the scene: its name, its colours, which part is in front. */
function dress() {
  const front = store.stack.findLast((entry) => entry.kind === 'document' || entry.kind === 'page');
  const place = front?.title ?? store.browser?.path.at(-1)?.name ?? store.browser?.title;
  const appName = store.app?.name;
  document.title = [place, appName].filter((name, at, all) => name && all.indexOf(name) === at).join(' — ')
    || strings.documents;
  const style = store.browser?.style ?? 'auto';
  // White is what an app gets that never chose; such an app follows the reader's setting.
  document.documentElement.dataset.style = style === 'white' ? 'auto' : style;
  applyTint(document.documentElement, store.browser?.tint ?? store.app?.tint);
  const isStageInFront = front !== undefined || store.browser === null;
  opening.hidden = store.app !== null;
  browser.hidden = store.app === null || isStageInFront;
  stage.hidden = store.app === null;
}

for (const name of ['connection-bar', 'document-browser', 'notice-shelf']) {
  document.querySelector(name).attach(scene);
}
store.listen(dress);

store.receive({ type: 'hello', rev: 0, ...first });
scene.connection.connect();
// What shows documents, and what else the list does without, comes at the first sign that somebody is there to use it.
let isRestComing = false;
function bringRest() {
  if (isRestComing) return;
  if (scene.connection.isCutOff) {
    scene.addEventListener('line', bringRest, { once: true });
    return;
  }
  isRestComing = true;
  // A page that is cut off before it can show documents begins anew when it finds its process again: nothing has been
  // typed into it yet.
  const needed = Promise.all([import('./scene-stage/element.js'), import('./app-dialog/dialogs.js')]);
  needed.then(
    ([, { Dialogs }]) => {
      stage.attach(scene);
      new Dialogs(scene);
    },
    () => scene.addEventListener('line', () => location.reload()),
  );
  // Where one of these is needed it is asked for again, and what is in the way is said.
  Promise.all([needed, browser.prepare()]).then(() => { scene.isWhole = true; }, () => {});
}
for (const name of ['pointermove', 'pointerdown', 'keydown', 'dragenter']) {
  addEventListener(name, bringRest, { capture: true, passive: true, once: true });
}
store.listen(() => store.stack.length > 0 && bringRest());
