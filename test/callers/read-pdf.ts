import { getDocumentProxy } from 'unpdf';
import { balanceColumns } from '../../src/features/ledger/statement/draw-balances.ts';
import { baselines, lineColumns } from '../../src/features/ledger/statement/draw-lines.ts';
import { heights, sheet } from '../../src/features/ledger/statement/plan-pages.ts';
import { type Language, typeNames } from '../../src/features/ledger/statement/words.ts';

/** A line as the PDF of a statement shows it. */
export interface PdfRow {
  /** In the reader's language. */
  day: string;
  time: string;
  transactionType: string;
  description: string;
  /** Between the type and the key: a status, and what was given in an exchange. */
  particulars: string[];
  key: string;
  asset: string;
  network: string;
  /** With a sign: what the balance changed by. Plain decimals, whatever the language. */
  amount: string;
  runningBalance: string;
}

export interface PdfBalance {
  currency: string;
  network: string;
  opening: string;
  moneyIn: string;
  moneyOut: string;
  closing: string;
  value: string;
}

/** A text on a page: where it begins, its baseline from the top, and where it ends. */
export interface PdfText {
  text: string;
  x: number;
  y: number;
  right: number;
  size: number;
}

/** `1,234.50`, or `1.234,50` in Portuguese, as the ledger writes it: `1234.5`. */
export function readFigure(text: string, language: Language = 'en'): string {
  const plain = language === 'en' ? text.replaceAll(',', '') : text.replaceAll('.', '').replace(',', '.');
  return plain.includes('.') ? plain.replace(/\.?0*$/, '') : plain;
}

/** The lines of a statement, read back from where they stand on its pages. */
export async function readPdfRows(pdf: Uint8Array, language: Language = 'en'): Promise<PdfRow[]> {
  const pages = await readPdfTexts(pdf);
  return pages.flatMap((texts) =>
    texts
      .filter(({ text, x }) => isAt(x, lineColumns.date) && /^\d\d:\d\d:\d\d$/.test(text))
      .map(({ text: time, y }) => readRow(texts, { time, top: y - baselines.second, language })),
  );
}

export async function readPdfBalances(pdf: Uint8Array, language: Language = 'en'): Promise<PdfBalance[]> {
  const { asset, network, opening, moneyIn, moneyOut, closing, value } = balanceColumns;
  const pages = await readPdfTexts(pdf);
  return pages.flatMap((texts) =>
    texts
      .filter(({ x, text }) => isAt(x, network) && !['Network', 'Rede'].includes(text))
      .map(({ y }) => {
        const [top, bottom] = [y - 11, y - 11 + heights.balance];
        const figure = (column: { left: number; right: number }) =>
          readFigure(join(texts, { top, bottom, ...column }), language);
        return {
          currency: join(texts, { top, bottom, left: asset, right: network }),
          network: join(texts, { top, bottom, left: network, right: opening.left }),
          opening: figure(opening),
          moneyIn: figure(moneyIn),
          moneyOut: figure(moneyOut),
          closing: figure(closing),
          value: figure(value),
        };
      }),
  );
}

function readRow(
  texts: readonly PdfText[],
  { time, top, language }: { time: string; top: number; language: Language },
): PdfRow {
  const { date, description, asset, amount, balance } = lineColumns;
  const bottom = top + heights.line;
  const middle = top + (baselines.first + baselines.second) / 2;
  const [upper, lower] = [
    { top, bottom: middle },
    { top: middle, bottom },
  ];
  const second = texts.filter(({ text, y }) => text.includes(' · ') && y > middle && y < bottom);
  const [name, ...particulars] = join(second, { ...lower, left: description, right: asset }).split(' · ');
  const [type] = Object.entries(typeNames[language]).find((entry) => entry[1] === name) ?? [
    `unknown: ${name}`,
  ];
  const [currency, network] = texts
    .filter(({ x, y }) => x >= asset - 0.6 && x < amount.left && y > top && y < middle && x < amount.left)
    .sort((a, b) => a.x - b.x)
    .map(({ text }) => text);
  const figures = texts.filter(({ text }) => /^[-0-9.,]+$/.test(text));
  const figure = (column: { left: number; right: number }) =>
    readFigure(join(figures, { top, bottom, ...column }), language);
  return {
    day: join(texts, { ...upper, left: date, right: description }),
    time,
    transactionType: type,
    description: join(texts, { ...upper, left: description, right: asset }),
    particulars: particulars.slice(0, -1),
    key: particulars.at(-1)!,
    asset: currency!,
    network: network!,
    amount: figure(amount),
    runningBalance: figure(balance),
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

/** An element of the structure that screen readers read. */
interface Structure {
  role?: string;
  type?: string;
  id?: string;
  children?: Structure[];
}

/** The elements that have something on the pages, in order, and what the document says about itself. */
export async function readPdfStructure(pdf: Uint8Array) {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const roles: string[] = [];
  /** What is drawn outside of any element. */
  let untagged = 0;
  for (let at = 1; at <= document.numPages; at++) {
    const page = await document.getPage(at);
    const visit = ({ role, children = [] }: Structure) => {
      // Of a table that goes on, other pages' rows are listed too, but empty.
      if (role && children.some(({ type }) => type)) roles.push(role);
      children.forEach(visit);
    };
    visit(((await page.getStructTree()) ?? {}) as Structure);
    const { items } = await page.getTextContent({ includeMarkedContent: true });
    let depth = 0;
    for (const item of items) {
      if ('str' in item) untagged += Number(depth === 0 && item.str.trim() !== '');
      else depth += item.type === 'endMarkedContent' ? -1 : 1;
    }
    page.cleanup();
  }
  const { info } = await document.getMetadata();
  const markInfo = await document.getMarkInfo();
  const annotations = await (await document.getPage(1)).getAnnotations();
  await document.cleanup();
  return { roles, untagged, info: info as Record<string, unknown>, markInfo, annotations };
}
