import PDFDocument from 'pdfkit';
import { type FigureColumn, type FigureRow, placeFigure } from './place-figure.ts';
import { type Container, createStructure, type OpenDocument, type Structure } from './structure.ts';
import { openTypeface, type Typeface } from './typeface.ts';

/** Red, green and blue from 0 to 1. */
export const inks = {
  text: '.09 .11 .14',
  muted: '.36 .4 .47',
  link: '.07 .33 .6',
  rule: '.85 .87 .9',
  band: '.95 .957 .97',
};

export interface Style {
  size: number;
  /** A text that `write` would cut is first set smaller, down to this. */
  sizeMin?: number;
  ink?: string;
  strong?: boolean;
}

/** What a statement is drawn with. All y are baselines from the top, all texts one line. */
export interface PageWriter {
  structure: Structure;
  /** Everything that `draw` draws is one element of the document's structure. */
  tag(type: string, parent: Container, draw: () => void, more?: Record<string, unknown>): void;
  /** What repeats on every page, or only decorates it: screen readers skip it. */
  skip(draw: () => void): void;
  /** Cut with an ellipsis where it is wider than `widthMax`. Returns where it ends. */
  write(text: string, x: number, y: number, style: Style, widthMax?: number): number;
  /** Set smaller where it is wider than `widthMax`. Returns where it ends. */
  writeWhole(text: string, x: number, y: number, style: Style, widthMax: number): number;
  writeToTheLeftOf(text: string, x: number, y: number, style: Style, widthMax?: number): void;
  /** Set smaller too; a click opens it. */
  writeLink(
    url: string,
    at: { x: number; y: number; widthMax: number },
    style: Style,
    parent: Container,
  ): void;
  /**
   * Never cut: an amount that is too long for its column is set smaller, or in more than one line within its
   * row. Returns how many.
   */
  writeFigure(text: string, column: FigureColumn, row: FigureRow, style: Style): number;
  drawLogo(logo: Buffer, box: { x: number; y: number; width: number; height: number }, name: string): void;
  rule(y: number, left: number, right: number): void;
  band(y: number, height: number, left: number, right: number): void;
  startPage(): void;
  finishPage(): void;
  /** What is finished, if it is so much by now. */
  take(bytesMin: number): Uint8Array | null;
  /** The rest of the file. */
  finish(): AsyncIterable<Uint8Array>;
}

/**
 * Uses pdfkit for pages, file and fonts, but writes texts with PDF operators: pdfkit's `text` measures and
 * encodes each word three times, and a page took three times as long.
 */
export function createPageWriter(info: {
  title: string;
  author: string;
  language: string;
  madeAt: Date;
  decimalPoint: string;
}): PageWriter {
  const { title, author, language, madeAt, decimalPoint } = info;
  const document = new PDFDocument({
    size: 'A4',
    margin: 0,
    pdfVersion: '1.7',
    lang: language,
    tagged: true,
    displayTitle: true,
    info: { Title: title, Author: author, Creator: 'Causeway', Producer: 'Causeway', CreationDate: madeAt },
    autoFirstPage: false,
    // It would keep the layout of every word that it ever saw, and no two amounts are one word.
    fontLayoutCache: false,
  });
  const inside = document as unknown as OpenDocument;
  const structure = createStructure(inside, title);
  const plain = openFace(document, openTypeface('400Regular'), 'plain');
  const strong = openFace(document, openTypeface('600SemiBold'), 'strong');
  const faceOf = (style: Style) => (style.strong ? strong : plain);
  /** Drawn first, under the texts. */
  let decoration: string[] = [];
  let content: string[] = [];
  let inkInUse = '';
  const draw = (text: string, x: number, y: number, style: Style) => {
    const { size, ink = inks.text } = style;
    const face = faceOf(style);
    if (ink !== inkInUse) content.push(`${ink} rg`);
    inkInUse = ink;
    // pdfkit has turned the page upside down, so that y counts from the top: letters are turned back.
    content.push(
      `BT /${face.id} ${size} Tf 1 0 0 -1 ${x.toFixed(2)} ${y.toFixed(2)} Tm ${face.encode(text)} Tj ET`,
    );
  };
  const fit = (text: string, style: Style, widthMax: number) => {
    const { typeface } = faceOf(style);
    const shown = typeface.printable(text);
    const width = typeface.widthOf(shown);
    if (width * style.size <= widthMax) return { shown, width: width * style.size, style };
    const size = Math.floor((widthMax / width) * 100) / 100;
    return { shown, width: width * size, style: { ...style, size } };
  };
  const mark = (beginning: string, drawInside: () => void) => {
    content.push(beginning);
    drawInside();
    content.push('EMC');
  };

  const writer: PageWriter = {
    structure,
    tag: (type, parent, drawInside, more) => mark(structure.mark(type, parent, more), drawInside),
    skip: (drawInside) => mark('/Artifact BMC', drawInside),
    write(text, x, y, style, widthMax = Number.POSITIVE_INFINITY) {
      const fitted = fit(text, style, widthMax);
      const { sizeMin = style.size } = style;
      if (fitted.style.size >= sizeMin) {
        draw(fitted.shown, x, y, fitted.style);
        return x + fitted.width;
      }
      const { typeface } = faceOf(style);
      const shown = typeface.cut(fitted.shown, widthMax / sizeMin);
      draw(shown, x, y, { ...style, size: sizeMin });
      return x + typeface.widthOf(shown) * sizeMin;
    },
    writeWhole(text, x, y, style, widthMax) {
      const fitted = fit(text, style, widthMax);
      draw(fitted.shown, x, y, fitted.style);
      return x + fitted.width;
    },
    writeToTheLeftOf(text, x, y, style, widthMax = Number.POSITIVE_INFINITY) {
      const fitted = fit(text, style, widthMax);
      draw(fitted.shown, x - fitted.width, y, fitted.style);
    },
    writeLink(url, { x, y, widthMax }, style, parent) {
      const fitted = fit(url, style, widthMax);
      const place = [x, y - style.size, x + fitted.width, y + style.size / 3] as const;
      mark(structure.markLink(parent, url, place), () => draw(fitted.shown, x, y, fitted.style));
    },
    writeFigure(text, column, row, style) {
      const { widthOf } = faceOf(style).typeface;
      const parts = placeFigure(text, column, row, { size: style.size, widthOf, decimalPoint });
      for (const { part, x, y, size } of parts) draw(part, x, y, { ...style, size });
      return parts.length;
    },
    drawLogo(logo, { x, y, width, height }, name) {
      document.addContent(structure.mark('Figure', structure.root, { Alt: new String(name) }));
      document.image(logo, x, y, { fit: [width, height] });
      document.addContent('EMC');
    },
    rule(y, left, right) {
      decoration.push(`${inks.rule} RG .5 w ${left} ${y.toFixed(2)} m ${right} ${y.toFixed(2)} l S`);
    },
    band(y, height, left, right) {
      decoration.push(`${inks.band} rg ${left} ${y.toFixed(2)} ${right - left} ${height} re f`);
    },
    startPage() {
      document.addPage();
      plain.addToPage();
      strong.addToPage();
    },
    finishPage() {
      structure.flush();
      document.addContent(`/Artifact BMC\n${decoration.join('\n')}\nEMC\n${content.join('\n')}`);
      decoration = [];
      content = [];
      inkInUse = '';
    },
    take: (bytesMin) => (document.readableLength >= bytesMin ? document.read() : null),
    async *finish() {
      structure.finish();
      document.end();
      // A logo may still be on its way: pdfkit unpacks it in the background.
      yield* document;
    },
  };
  return writer;
}

interface Face {
  typeface: Typeface;
  /** Its name in the file. */
  id: string;
  /** As glyphs of the part of the font that the file will carry. */
  encode(text: string): string;
  addToPage(): void;
}

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
      const { fonts } = (document as unknown as OpenDocument).page;
      fonts[font.id] = font.ref();
    },
  };
}
