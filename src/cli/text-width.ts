const segmenter = new Intl.Segmenter();

/** Blocks of wide characters. Of all letters, it differs from Unicode's table in none; of symbols in 160. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2fb}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;

/** How many columns of a terminal a text takes: `é` one, `美` and an emoji two, a combining mark none. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...segmenter.segment(text)].reduce((sum, { segment }) => sum + widthOfSegment(segment), 0);
}

/** The start of a text that fits into so many columns, with whole characters. */
export function takeColumns(text: string, columns: number): string {
  let taken = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    width += widthOfSegment(segment);
    if (width > columns) break;
    taken += segment;
  }
  return taken;
}

/** A segment is what a reader sees as one character, such as a letter with its marks or a joined emoji. */
function widthOfSegment(segment: string): number {
  if (/^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u.test(segment)) return 0;
  return wide.test(segment) || /\p{Emoji_Presentation}|\ufe0f/u.test(segment) ? 2 : 1;
}
