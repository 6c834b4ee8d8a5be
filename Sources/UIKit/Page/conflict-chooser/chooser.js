import { openDialog } from '../app-dialog/dialogs.js';
import { h } from '../dom.js';
import { byteCount, longMoment } from '../format.js';
import { words } from './words.js';

/**
 * Shows the versions of a document that are in conflict, side by side, and asks which it is to be.
 *
 * @param {import('../scene.js').Scene} scene
 * @param {{id: string, title: string}} entry  the document
 */
export async function chooseVersion(scene, entry) {
  const found = await scene.perform('document.versions', { document: entry.id });
  if (!found) return;
  const settle = (choice, version) => {
    dialog.close();
    // What has come since it was shown is for another choice.
    const shown = found.others.map(({ name }) => name);
    scene.perform('document.settle', { document: entry.id, choice, shown, ...(version && { version }) });
  };
  const cards = [card(found.mine, {
    title: words.conflictMine, action: words.conflictKeep, run: () => settle('mine'),
  })];
  for (const other of found.others) {
    cards.push(card(other, {
      title: words.conflictOther, action: words.conflictTake, run: () => settle('other', other.name),
    }));
  }
  if (found.merged) {
    const { conflicts } = found.merged;
    cards.push(card(found.merged, {
      title: words.conflictMerged, action: words.conflictTake, run: () => settle('merged'),
      note: conflicts > 0 ? words.conflictSpots(conflicts) : words.conflictNoSpots,
    }));
  }
  const dialog = openDialog({
    title: words.conflictTitle(entry.title),
    message: words.conflictMessage,
    body: h('div.versions', {}, ...cards),
    isWide: true,
    actions: [
      { title: words.conflictLater, style: 'cancel' },
      { title: words.conflictBoth, style: 'plain', choice: 'both' },
    ],
    choose: ({ choice }) => {
      if (choice) settle(choice);
      else dialog.close();
    },
  });
}

/** One version: who and when, what is in it, and the button that chooses it. */
function card(version, { title, action, run, note }) {
  const facts = [
    version.modified ? longMoment(version.modified) : null,
    version.size === undefined ? null : byteCount(version.size),
    version.device || null,
  ].filter(Boolean);
  const heading = version.writer ? words.conflictBy(version.writer) : title;
  return h('section.version', { 'aria-label': heading },
    h('header', {}, h('h3', {}, heading), h('p', {}, note ?? facts.join(' · '))),
    preview(version),
    h('button.secondary', { type: 'button', onclick: run, 'aria-label': `${action}: ${heading}` }, action));
}

function preview(version) {
  if (version.picture) return h('div.version-none', {}, picture(version.picture));
  if (version.text) return textPreview(version.text);
  if (version.members) return memberPreview(version.members);
  return h('p.version-none', {}, words.noPreview);
}

/** The lines, those that differ marked. */
function textPreview(stretches) {
  if (stretches.every(({ text, omitted }) => text === '' && omitted === 0)) {
    return h('p.version-none', {}, words.emptyText);
  }
  const parts = stretches.flatMap(({ text, same, omitted }) => [
    text === '' ? null : h(same ? 'span' : 'mark', {}, text),
    omitted > 0
      ? h('span.version-omitted', {}, `${same ? words.omitted(omitted) : words.omittedMore(omitted)}\n`) : null,
  ]);
  return h('pre.version-text', { tabindex: 0 }, ...parts);
}

function memberPreview(members) {
  if (members.length === 0) return h('p.version-none', {}, words.membersSame);
  return h('ul.version-members', {}, ...members.map((member) => h('li', {},
    h('span', {}, member.name, member.picture ? picture(member.picture) : null),
    h('span', {}, member.only ? words.onlyHere : words.memberDiffers))));
}

/** What stands beside it says whose it is; that it is a picture, this. */
function picture(address) {
  return h('img.version-picture', { src: address, alt: words.picturePreview });
}
