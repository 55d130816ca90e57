/** A colour as in CSS, `#` and six hexadecimal digits. */
export type Color = string;

const channelsOf = (color: Color) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** WCAG's relative luminance, from 0 for black to 1 for white. */
function luminanceOf(color: Color): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const channel = value / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** WCAG's contrast ratio, from 1 to 21; text needs 4.5. */
export function contrastOf(one: Color, other: Color): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Black or white, whichever is easier to read on the colour. */
export const inkOn = (color: Color): Color =>
  contrastOf(color, '#000000') > contrastOf(color, '#ffffff') ? '#000000' : '#ffffff';

/** `share` of the other colour, from 0 to 1. */
export function mixColors(color: Color, other: Color, share: number): Color {
  const others = channelsOf(other);
  const mixed = channelsOf(color).map((value, at) => Math.round(value + (others[at]! - value) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** The nearest colour towards `end` that can be read on each of the grounds. */
export function readableOn(grounds: readonly Color[], color: Color, end: '#000000' | '#ffffff'): Color {
  const shares = Array.from({ length: 21 }, (_, step) => step / 20);
  const isReadable = (one: Color) => grounds.every((ground) => contrastOf(one, ground) >= 4.5);
  return shares.map((share) => mixColors(color, end, share)).find(isReadable) ?? end;
}
