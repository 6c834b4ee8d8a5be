import { openDialog } from '../app-dialog/dialogs.js';
import { h } from '../dom.js';
import { byteCount, longMoment } from '../format.js';
import { strings } from '../strings.js';

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
    scene.perform('document.settle', { document: entry.id, choice, ...(version && { version }) });
  };
  const cards = [card(found.mine, {
    title: strings.conflictMine, action: strings.conflictKeep, run: () => settle('mine'),
  })];
  for (const other of found.others) {
    cards.push(card(other, {
      title: strings.conflictOther, action: strings.conflictTake, run: () => settle('other', other.name),
    }));
  }
  if (found.merged) {
    const { conflicts } = found.merged;
    cards.push(card(found.merged, {
      title: strings.conflictMerged, action: strings.conflictTake, run: () => settle('merged'),
      note: conflicts > 0 ? strings.conflictSpots(conflicts) : strings.conflictNoSpots,
    }));
  }
  const dialog = openDialog({
    title: strings.conflictTitle(entry.title),
    message: strings.conflictMessage,
    body: h('div.versions', {}, ...cards),
    isWide: true,
    actions: [
      { title: strings.conflictLater, style: 'cancel' },
      { title: strings.conflictBoth, style: 'plain', choice: 'both' },
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
  const heading = version.writer ? strings.conflictBy(version.writer) : title;
  return h('section.version', { 'aria-label': heading },
    h('header', {}, h('h3', {}, heading), h('p', {}, note ?? facts.join(' · '))),
    preview(version),
    h('button.secondary', { type: 'button', onclick: run, 'aria-label': `${action}: ${heading}` }, action));
}

function preview(version) {
  if (version.picture) return h('div.version-none', {}, picture(version.picture));
  if (version.text) return textPreview(version.text);
  if (version.members) return memberPreview(version.members);
  return h('p.version-none', {}, strings.noPreview);
}

/** The lines, those that differ marked. */
function textPreview(stretches) {
  if (stretches.every(({ text, omitted }) => text === '' && omitted === 0)) {
    return h('p.version-none', {}, strings.emptyText);
  }
  const parts = stretches.flatMap(({ text, same, omitted }) => [
    text === '' ? null : h(same ? 'span' : 'mark', {}, text),
    omitted > 0
      ? h('span.version-omitted', {}, `${same ? strings.omitted(omitted) : strings.omittedMore(omitted)}\n`) : null,
  ]);
  return h('pre.version-text', { tabindex: 0 }, ...parts);
}

function memberPreview(members) {
  if (members.length === 0) return h('p.version-none', {}, strings.membersSame);
  return h('ul.version-members', {}, ...members.map((member) => h('li', {},
    h('span', {}, member.name, member.picture ? picture(member.picture) : null),
    h('span', {}, member.only ? strings.onlyHere : strings.memberDiffers))));
}

/** What stands beside it says whose it is; that it is a picture, this. */
function picture(address) {
  return h('img.version-picture', { src: address, alt: strings.picturePreview });
}
