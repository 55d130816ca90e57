import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font, type GlyphRun } from 'fontkit';

/** A font as a statement uses it. Widths are in points for a size of 1. */
export interface Typeface {
  font: Font;
  widthOf(text: string): number;
  /**
   * The text as this font can show it; what it cannot is U+FFFD, never a neighbour's glyph and never nothing.
   */
  printable(text: string): string;
  /** The text, or as much of it as fits and an ellipsis. */
  cut(text: string, widthMax: number): string;
}

const require = createRequire(import.meta.url);
const typefaces = new Map<string, Typeface>();

/**
 * Noto Sans, for its many letters and because its figures are all of one width. Read once for each process.
 */
export function openTypeface(weight: '400Regular' | '600SemiBold'): Typeface {
  let typeface = typefaces.get(weight);
  if (!typeface) {
    const file = require.resolve(`@expo-google-fonts/noto-sans/${weight}/NotoSans_${weight}.ttf`);
    typeface = createTypeface(create(readFileSync(file)) as Font);
    typefaces.set(weight, typeface);
  }
  return typeface;
}

const substitute = '\ufffd';
const ellipsis = '…';
/** Also the separators that every row has: what needs a look takes ten times as long. */
const known = /^[ -~·–…]*$/;
/**
 * Scripts that are set letter after letter. Those whose letters join or run from the right would be set
 * wrongly.
 */
const setable = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]/u;

function createTypeface(font: Font): Typeface {
  const widths = new Map<string, number>();
  const widthOfOne = (character: string) => {
    let width = widths.get(character);
    if (width === undefined) {
      width = font.glyphForCodePoint(character.codePointAt(0)!).advanceWidth / font.unitsPerEm;
      widths.set(character, width);
    }
    return width;
  };
  const widthOf = (text: string) => {
    let width = 0;
    for (const character of text) width += widthOfOne(character);
    return width;
  };
  // pdfkit asks the font how to set a text. By the font's own rules one character may become two glyphs, of
  // which a reader who copies the text gets another character.
  font.layout = (text) => {
    const glyphs = [...text].map((character) => font.glyphForCodePoint(character.codePointAt(0)!));
    const positions = glyphs.map(({ advanceWidth }) => ({
      xAdvance: advanceWidth,
      yAdvance: 0,
      xOffset: 0,
      yOffset: 0,
    }));
    return { glyphs, positions, advanceWidth: widthOf(text) * font.unitsPerEm } as GlyphRun;
  };

  return {
    font,
    widthOf,
    printable: (text) => {
      if (known.test(text)) return text;
      const line = text.normalize('NFC').replace(/\s+/gu, ' ').replace(/\p{C}/gu, substitute);
      let shown = '';
      for (const character of line) {
        const isShown = setable.test(character) && font.hasGlyphForCodePoint(character.codePointAt(0)!);
        shown += isShown ? character : substitute;
      }
      return shown;
    },
    cut: (text, widthMax) => {
      if (widthOf(text) <= widthMax) return text;
      let room = widthMax - widthOf(ellipsis);
      let shown = '';
      for (const character of text) {
        room -= widthOfOne(character);
        if (room < 0) break;
        shown += character;
      }
      return shown.trimEnd() + ellipsis;
    },
  };
}
