import { getDocumentProxy } from 'unpdf';
import { balanceColumns, lineColumns, typeNames } from '../src/features/ledger/statement/draw-page.ts';
import { heights, sheet } from '../src/features/ledger/statement/plan-pages.ts';

/** A line as the PDF of a statement shows it. */
export interface PdfRow {
  transactionDate: string;
  transactionType: string;
  description: string;
  /** As `shortKey` makes it of `uniqueHashId`. */
  key: string;
  asset: string;
  network: string;
  /** With a sign: what the balance changed by. */
  amount: string;
  /** Of an exchange, what was given for it, as `otherLeg` makes it; else empty. */
  other: string;
  runningBalance: string;
}

export interface PdfBalance {
  currency: string;
  network: string;
  opening: string;
  closing: string;
}

/** A text on a page: where it begins, its baseline from the top, and where it ends. */
export interface PdfText {
  text: string;
  x: number;
  y: number;
  right: number;
  size: number;
}

/** The lines of a statement, read back from where they stand on its pages. */
export async function readPdfRows(pdf: Uint8Array): Promise<PdfRow[]> {
  const pages = await readPdfTexts(pdf);
  return pages.flatMap((texts) =>
    texts
      .filter(({ text, x }) => isAt(x, lineColumns.date) && /^\d{4}-\d\d-\d\d$/.test(text))
      .map(({ text: day, y }) => readRow(texts, day, y)),
  );
}

export async function readPdfBalances(pdf: Uint8Array): Promise<PdfBalance[]> {
  const { asset, network, opening, closing } = balanceColumns;
  const pages = await readPdfTexts(pdf);
  return pages.flatMap((texts) =>
    texts
      .filter(({ x, text }) => isAt(x, network) && text !== 'Network')
      .map(({ y }) => {
        const [top, bottom] = [y - 11, y - 11 + heights.balance];
        return {
          currency: join(texts, { top, bottom, left: asset, right: network }),
          network: join(texts, { top, bottom, left: network, right: opening.left }),
          opening: join(texts, { top, bottom, ...opening }),
          closing: join(texts, { top, bottom, ...closing }),
        };
      }),
  );
}

function readRow(texts: readonly PdfText[], day: string, baseline: number): PdfRow {
  const { date, description, asset, amount, balance } = lineColumns;
  const [top, bottom] = [baseline - 10, baseline - 10 + heights.line];
  const upper = { top, bottom: baseline + 2 };
  const lower = { top: baseline + 2, bottom };
  const particulars = join(texts, { ...lower, left: description, right: asset }).split(' · ');
  const names = texts.filter(({ text }) => /[^-0-9.]/.test(text));
  const figures = texts.filter((text) => !names.includes(text));
  const name = particulars[0];
  const [type] = Object.entries(typeNames).find((entry) => entry[1] === name) ?? [`unknown: ${name}`];
  return {
    transactionDate: `${day}T${join(texts, { ...lower, left: date, right: description })}Z`,
    transactionType: type,
    description: join(texts, { ...upper, left: description, right: asset }),
    key: particulars.at(-1)!,
    asset: join(texts, { ...upper, left: asset, right: amount.left }),
    network: join(texts, { ...lower, left: asset, right: amount.left }),
    amount: join(figures, { top, bottom, ...amount }),
    other: join(names, { top, bottom, ...amount }),
    runningBalance: join(texts, { top, bottom, ...balance }),
  };
}

const isAt = (x: number, edge: number) => Math.abs(x - edge) < 0.6;

/** What stands in a field of the page, line after line. */
function join(
  texts: readonly PdfText[],
  field: { left: number; right: number; top: number; bottom: number },
): string {
  return texts
    .filter(({ x, y }) => x >= field.left - 0.6 && x < field.right - 0.6 && y > field.top && y < field.bottom)
    .sort((a, b) => a.y - b.y || a.x - b.x)
    .map(({ text }) => text)
    .join('');
}

/** Every text of every page, as another program than the one that wrote it finds it. */
export async function readPdfTexts(pdf: Uint8Array): Promise<PdfText[][]> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const pages: PdfText[][] = [];
  for (let at = 1; at <= document.numPages; at++) {
    const page = await document.getPage(at);
    const { items } = await page.getTextContent();
    pages.push(
      items.flatMap((item) => {
        // The reader's own spaces, for gaps between columns.
        if (!('str' in item) || item.str.trim() === '') return [];
        const [size, , , , x, y] = item.transform as [number, number, number, number, number, number];
        return [{ text: item.str, x, y: sheet.height - y, right: x + item.width, size }];
      }),
    );
    page.cleanup();
  }
  await document.cleanup();
  return pages;
}
