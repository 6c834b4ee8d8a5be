/** Dates, sizes and order, as the reader's locale has them. */

const timeOnly = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' });
const dayAndMonth = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const wholeDate = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
const yesterday = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(-1, 'day');
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** A moment as short as it can be told: the time today, "yesterday", the day this year, the date. */
export function moment(milliseconds, now = new Date()) {
  if (milliseconds === null || milliseconds === undefined) return '';
  const date = new Date(milliseconds);
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  if (milliseconds >= midnight && milliseconds < midnight + 86_400_000) return timeOnly.format(date);
  if (milliseconds >= midnight - 86_400_000 && milliseconds < midnight) {
    return yesterday.charAt(0).toLocaleUpperCase() + yesterday.slice(1);
  }
  return (date.getFullYear() === now.getFullYear() ? dayAndMonth : wholeDate).format(date);
}

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment told to the second: versions are often made within one minute. */
export const longMoment = (milliseconds) => dateAndTime.format(new Date(milliseconds));

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A byte count in the largest unit that leaves at least one of it; thousands, as Files counts. */
export function byteCount(bytes) {
  if (bytes === null || bytes === undefined) return '';
  const step = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: units[step],
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step > 1 ? 1 : 0,
  }).format(bytes / 1000 ** step);
}

const compareBy = {
  name: (left, right) => collator.compare(left.title, right.title),
  kind: (left, right) => collator.compare(left.typeTitle, right.typeTitle),
  size: (left, right) => (left.size ?? -1) - (right.size ?? -1),
  modified: (left, right) => (left.modified ?? 0) - (right.modified ?? 0),
};

/**
 * Puts items in order: folders before the rest, then as asked, then by name.
 * @param {{key: 'name' | 'kind' | 'size' | 'modified', descending: boolean}} sort
 */
export function inOrder(items, sort) {
  const compare = compareBy[sort.key] ?? compareBy.name;
  const sign = sort.descending ? -1 : 1;
  return items.sort((left, right) => (
    (right.kind === 'folder') - (left.kind === 'folder')
    || sign * compare(left, right)
    || compareBy.name(left, right)
    || (left.id < right.id ? -1 : 1)
  ));
}
