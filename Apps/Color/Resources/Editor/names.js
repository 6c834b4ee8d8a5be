/* The colours that CSS has names for, and which of them is nearest. */
'use strict';

const namedColors = [
  'f0f8ff Alice Blue', 'faebd7 Antique White', '7fffd4 Aquamarine', 'f0ffff Azure', 'f5f5dc Beige',
  'ffe4c4 Bisque', '000000 Black', 'ffebcd Blanched Almond', '0000ff Blue', '8a2be2 Blue Violet',
  'a52a2a Brown', 'deb887 Burlywood', '5f9ea0 Cadet Blue', '7fff00 Chartreuse', 'd2691e Chocolate',
  'ff7f50 Coral', '6495ed Cornflower Blue', 'fff8dc Cornsilk', 'dc143c Crimson', '00ffff Cyan',
  '00008b Dark Blue', '008b8b Dark Cyan', 'b8860b Dark Goldenrod', 'a9a9a9 Dark Gray', '006400 Dark Green',
  'bdb76b Dark Khaki', '8b008b Dark Magenta', '556b2f Dark Olive Green', 'ff8c00 Dark Orange',
  '9932cc Dark Orchid', '8b0000 Dark Red', 'e9967a Dark Salmon', '8fbc8f Dark Sea Green',
  '483d8b Dark Slate Blue', '2f4f4f Dark Slate Gray', '00ced1 Dark Turquoise', '9400d3 Dark Violet',
  'ff1493 Deep Pink', '00bfff Deep Sky Blue', '696969 Dim Gray', '1e90ff Dodger Blue', 'b22222 Firebrick',
  'fffaf0 Floral White', '228b22 Forest Green', 'dcdcdc Gainsboro', 'f8f8ff Ghost White', 'ffd700 Gold',
  'daa520 Goldenrod', '808080 Gray', '008000 Green', 'adff2f Green Yellow', 'f0fff0 Honeydew',
  'ff69b4 Hot Pink', 'cd5c5c Indian Red', '4b0082 Indigo', 'fffff0 Ivory', 'f0e68c Khaki',
  'e6e6fa Lavender', 'fff0f5 Lavender Blush', '7cfc00 Lawn Green', 'fffacd Lemon Chiffon',
  'add8e6 Light Blue', 'f08080 Light Coral', 'e0ffff Light Cyan', 'fafad2 Light Goldenrod Yellow',
  'd3d3d3 Light Gray', '90ee90 Light Green', 'ffb6c1 Light Pink', 'ffa07a Light Salmon',
  '20b2aa Light Sea Green', '87cefa Light Sky Blue', '778899 Light Slate Gray', 'b0c4de Light Steel Blue',
  'ffffe0 Light Yellow', '00ff00 Lime', '32cd32 Lime Green', 'faf0e6 Linen', 'ff00ff Magenta',
  '800000 Maroon', '66cdaa Medium Aquamarine', '0000cd Medium Blue', 'ba55d3 Medium Orchid',
  '9370db Medium Purple', '3cb371 Medium Sea Green', '7b68ee Medium Slate Blue',
  '00fa9a Medium Spring Green', '48d1cc Medium Turquoise', 'c71585 Medium Violet Red',
  '191970 Midnight Blue', 'f5fffa Mint Cream', 'ffe4e1 Misty Rose', 'ffe4b5 Moccasin',
  'ffdead Navajo White', '000080 Navy', 'fdf5e6 Old Lace', '808000 Olive', '6b8e23 Olive Drab',
  'ffa500 Orange', 'ff4500 Orange Red', 'da70d6 Orchid', 'eee8aa Pale Goldenrod', '98fb98 Pale Green',
  'afeeee Pale Turquoise', 'db7093 Pale Violet Red', 'ffefd5 Papaya Whip', 'ffdab9 Peach Puff',
  'cd853f Peru', 'ffc0cb Pink', 'dda0dd Plum', 'b0e0e6 Powder Blue', '800080 Purple',
  '663399 Rebecca Purple', 'ff0000 Red', 'bc8f8f Rosy Brown', '4169e1 Royal Blue', '8b4513 Saddle Brown',
  'fa8072 Salmon', 'f4a460 Sandy Brown', '2e8b57 Sea Green', 'fff5ee Seashell', 'a0522d Sienna',
  'c0c0c0 Silver', '87ceeb Sky Blue', '6a5acd Slate Blue', '708090 Slate Gray', 'fffafa Snow',
  '00ff7f Spring Green', '4682b4 Steel Blue', 'd2b48c Tan', '008080 Teal', 'd8bfd8 Thistle',
  'ff6347 Tomato', '40e0d0 Turquoise', 'ee82ee Violet', 'f5deb3 Wheat', 'ffffff White',
  'f5f5f5 White Smoke', 'ffff00 Yellow', '9acd32 Yellow Green',
].map((line) => ({ name: line.slice(7), lab: asLab(parseInt(line.slice(0, 6), 16)) }));

/** Lightness and the two colour axes of OKLab, in which distances are about as large as they look. */
function asLab(rgb) {
  const linear = [rgb >> 16, (rgb >> 8) & 255, rgb & 255].map((value) => (
    value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4
  ));
  const weigh = (weights) => weights.reduce((sum, weight, at) => sum + weight * linear[at], 0);
  const long = Math.cbrt(weigh([0.4122214708, 0.5363325363, 0.0514459929]));
  const medium = Math.cbrt(weigh([0.2119034982, 0.6806995451, 0.1073969566]));
  const short = Math.cbrt(weigh([0.0883024619, 0.2817188376, 0.6299787005]));
  return [
    0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  ];
}

/** The name of the named colour that looks nearest. */
function nearestColorName({ red, green, blue }) {
  const lab = asLab((red << 16) | (green << 8) | blue);
  const distance = (named) => Math.hypot(...named.lab.map((value, at) => value - lab[at]));
  return namedColors.reduce((best, named) => (distance(named) < distance(best) ? named : best)).name;
}
