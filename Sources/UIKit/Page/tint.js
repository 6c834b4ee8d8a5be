/** The app's tint, made dark or light enough to be read on our canvas in both themes. */

/** What text in the tint stands on: the canvas, and what floats above it. */
const grounds = { light: ['#f7f7f5', '#ffffff'], dark: ['#161718', '#2a2b2e'] };
const contrastMin = 4.6; // WCAG asks for 4.5; a little more covers rounding and the pale selections

const channels = (hex) => [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
const asHex = (rgb) => '#' + rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('');
const linear = (value) => (value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);

/** Relative luminance of red, green and blue in 0…255, as WCAG defines it. */
export const luminance = ([red, green, blue]) => (
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
);

/** WCAG contrast ratio of two colours. */
export function contrast(first, second) {
  const [low, high] = [luminance(first), luminance(second)].sort((left, right) => left - right);
  return (high + 0.05) / (low + 0.05);
}

const mix = (from, to, share) => from.map((value, at) => value + (to[at] - value) * share);

/** The colour nearest to `tint` on its way to black or white that can be read on the canvas. */
function legible(tint, theme) {
  const [canvas, raised] = grounds[theme].map(channels);
  const end = theme === 'light' ? [0, 0, 0] : [255, 255, 255];
  for (let step = 0; step < 20; step += 1) {
    const colour = mix(tint, end, step / 20);
    // The selection is the canvas with some of the tint in it; text in the tint stands on that, too.
    const behind = [canvas, raised, mix(canvas, colour, 0.13)];
    if (behind.every((ground) => contrast(colour, ground) >= contrastMin)) return colour;
  }
  return end;
}

/** Sets the custom properties that the styles derive their tint from. */
export function applyTint(root, hex) {
  const tint = channels(/^#[0-9a-f]{6}$/i.test(hex ?? '') ? hex : '#2f6fdb');
  for (const theme of ['light', 'dark']) {
    const colour = legible(tint, theme);
    const white = contrast(colour, [255, 255, 255]) >= 4.5;
    root.style.setProperty(`--tint-${theme}`, asHex(colour));
    root.style.setProperty(`--on-tint-${theme}`, white ? '#ffffff' : '#101113');
  }
}
