import PDFDocument from 'pdfkit';
import { openTypeface, type Typeface } from './typeface.ts';

/** Red, green and blue from 0 to 1. */
export const inks = { text: '.09 .11 .14', muted: '.4 .44 .52', rule: '.85 .87 .9', band: '.95 .957 .97' };

export interface Style {
  size: number;
  ink?: string;
  strong?: boolean;
}

/** Figures stand in it with their decimal points below each other. */
export interface FigureColumn {
  left: number;
  right: number;
}

export interface FigureRow {
  top: number;
  height: number;
  baseline: number;
}

/** What a statement is drawn with. All y are baselines from the top, all texts one line. */
export interface PageWriter {
  /** Cut with an ellipsis where it is wider than `widthMax`. */
  write(text: string, x: number, y: number, style: Style, widthMax?: number): void;
  /** Set smaller where it is wider than `widthMax`. */
  writeToTheLeftOf(text: string, x: number, y: number, style: Style, widthMax?: number): void;
  /**
   * Never cut: an amount that is too long for its column is set smaller, or in more than one line within its
   * row. Gives how many.
   */
  writeFigure(text: string, column: FigureColumn, row: FigureRow, size: number): number;
  rule(y: number, left: number, right: number): void;
  band(y: number, height: number, left: number, right: number): void;
  finishPage(): void;
  finish(): void;
  /** What is finished, if it is so much by now. */
  take(bytesMin: number): Uint8Array | null;
}

/** As many decimals as the assets have that are paid here; figures with more are aligned at their ends. */
const decimalsShown = 6;
/** In thousandths of the size: wide enough to see, too narrow to be copied as a space. */
const thousandsGap = 90;

/**
 * Uses pdfkit for pages, file and fonts, but writes texts with PDF operators: pdfkit's `text` measures and
 * encodes each word three times, and a page took three times as long.
 */
export function createPageWriter(info: { title: string; madeAt: Date }): PageWriter {
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    lang: 'en',
    displayTitle: true,
    info: { Title: info.title, Creator: 'Causeway', Producer: 'Causeway', CreationDate: info.madeAt },
    autoFirstPage: false,
    // It would keep the layout of every word that it ever saw, and no two amounts are one word.
    fontLayoutCache: false,
  });
  const plain = openFace(document, openTypeface('400Regular'), 'plain');
  const strong = openFace(document, openTypeface('600SemiBold'), 'strong');
  const faceOf = (style: Style) => (style.strong ? strong : plain);
  let content: string[] = [];
  let inkInUse = '';
  const useInk = (ink: string) => {
    if (ink !== inkInUse) content.push(`${ink} rg`);
    inkInUse = ink;
  };
  const show = (glyphs: string, x: number, y: number, face: Face, size: number, ink = inks.text) => {
    useInk(ink);
    // pdfkit has turned the page upside down, so that y counts from the top: letters are turned back.
    content.push(`BT /${face.id} ${size} Tf 1 0 0 -1 ${x.toFixed(2)} ${y.toFixed(2)} Tm [${glyphs}] TJ ET`);
  };
  const draw = (text: string, x: number, y: number, style: Style) => {
    const face = faceOf(style);
    show(face.encode(text), x, y, face, style.size, style.ink);
  };

  return {
    write(text, x, y, style, widthMax = Number.POSITIVE_INFINITY) {
      const { typeface } = faceOf(style);
      draw(typeface.cut(typeface.printable(text), widthMax / style.size), x, y, style);
    },
    writeToTheLeftOf(text, x, y, style, widthMax = Number.POSITIVE_INFINITY) {
      const { typeface } = faceOf(style);
      const shown = typeface.printable(text);
      const width = typeface.widthOf(shown);
      const size = Math.min(style.size, Math.floor((widthMax / width) * 100) / 100);
      draw(shown, x - width * size, y, { ...style, size });
    },
    writeFigure(text, { left, right }, { top, height, baseline }, size) {
      const { widthOf } = plain.typeface;
      const { groups, fraction } = splitFigure(text);
      const width = (widthOf(text) + ((groups.length - 1) * thousandsGap) / 1000) * size;
      const end =
        fraction.length <= decimalsShown + 1
          ? right - widthOf(`.${'0'.repeat(decimalsShown)}`.slice(fraction.length)) * size
          : right;
      if (end - width >= left) {
        const glyphs = groups.map((group) => plain.encode(group)).join(` -${thousandsGap} `);
        show(glyphs + plain.encode(fraction), end - width, baseline, plain, size);
        return 1;
      }
      const broken = breakFigure(text, (right - left) / widthOf('0'), size);
      const leading = broken.size * 1.1;
      const first = top + (height - leading * broken.parts.length) / 2 + broken.size * 0.9;
      for (const [at, part] of broken.parts.entries()) {
        const y = broken.parts.length === 1 ? baseline : first + at * leading;
        show(plain.encode(part), right - widthOf(part) * broken.size, y, plain, broken.size);
      }
      return broken.parts.length;
    },
    rule(y, left, right) {
      content.push(`${inks.rule} RG .5 w ${left} ${y.toFixed(2)} m ${right} ${y.toFixed(2)} l S`);
    },
    band(y, height, left, right) {
      useInk(inks.band);
      content.push(`${left} ${y.toFixed(2)} ${right - left} ${height} re f`);
    },
    finishPage() {
      document.addPage();
      plain.addToPage();
      strong.addToPage();
      document.addContent(content.join('\n'));
      content = [];
      inkInUse = '';
    },
    finish: () => document.end(),
    take: (bytesMin) => (document.readableLength >= bytesMin ? document.read() : null),
  };
}

interface Face {
  typeface: Typeface;
  /** Its name in the file. */
  id: string;
  /** As glyphs of the part of the font that the file will carry. */
  encode(text: string): string;
  addToPage(): void;
}

/** What we use of pdfkit's fonts beyond its documented face; its version is pinned. */
interface OpenFont {
  id: string;
  /** Also notes that the glyphs are used. Their numbers come in hexadecimal, four digits each. */
  encode(text: string): [glyphs: string[], positions: unknown];
  ref(): unknown;
}

function openFace(document: PDFKit.PDFDocument, typeface: Typeface, name: string): Face {
  // Since 0.20 it also takes a font that is open already; its types do not say so yet.
  document.registerFont(name, typeface.font as never).font(name);
  const font = (document as unknown as { _font: OpenFont })._font;
  const glyphs = new Map<string, string>();
  const glyphOf = (character: string) => {
    let glyph = glyphs.get(character);
    if (glyph === undefined) {
      glyph = font.encode(character)[0].join('');
      glyphs.set(character, glyph);
    }
    return glyph;
  };
  return {
    typeface,
    id: font.id,
    encode(text) {
      let hex = '';
      for (const character of text) hex += glyphOf(character);
      return `<${hex}>`;
    },
    addToPage() {
      const { fonts } = document.page as unknown as { fonts: Record<string, unknown> };
      fonts[font.id] = font.ref();
    },
  };
}

/** Digits by the thousand, the first with the sign, and the fraction with its point. */
function splitFigure(text: string): { groups: string[]; fraction: string } {
  const point = text.includes('.') ? text.indexOf('.') : text.length;
  const groups: string[] = [];
  let end = point;
  for (; end > 3 && text[end - 4] !== '-'; end -= 3) groups.unshift(text.slice(end - 3, end));
  if (end > 0) groups.unshift(text.slice(0, end));
  return { groups, fraction: text.slice(point) };
}

/** In one line while that stays legible, else in as few as it takes. `room` is in digits of size 1. */
function breakFigure(text: string, room: number, sizeMax: number): { parts: string[]; size: number } {
  for (let count = 1; ; count++) {
    const length = Math.ceil(text.length / count);
    const size = Math.min(sizeMax, room / length);
    if (size < (count === 1 ? 5 : 4.4) && count < 4) continue;
    const parts = Array.from({ length: count }, (_, at) => text.slice(at * length, (at + 1) * length));
    return { parts, size: Math.floor((count === 1 ? size : Math.min(size, 6.5)) * 100) / 100 };
  }
}
