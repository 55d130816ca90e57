import { dayMs } from '#platform/values/duration';
import { formatMinor } from '#platform/values/money';
import type { LineView, Statement, StatementBalance } from '../open-statement.ts';
import { csvColumns, lastColumn } from './csv.ts';
import { signedAmount } from './signed-amount.ts';
import { spellingOf } from './spelling.ts';
import { takeLines } from './take-lines.ts';
import { toChunks } from './text-chunks.ts';
import type { StatementStyle } from './writer.ts';
import { escapeXml } from './xml.ts';
import { writeZip, type ZippedFile } from './zip.ts';

/** A sheet has room for 1,048,576 rows. */
export const linesOfSheet = 1_000_000;

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Office Open XML: a sheet with the summary, then the lines with the columns of the CSV. */
export async function* writeXlsx(statement: Statement, style: StatementStyle): AsyncGenerator<Uint8Array> {
  const balances = await statement.readBalances();
  const { words } = spellingOf(style.language);
  const lines = walk(takeLines(statement));
  const count = Math.max(1, Math.ceil(statement.lineCount / linesOfSheet));
  const names = Array.from({ length: count }, (_, at) =>
    at === 0 ? words.lines : `${words.lines} ${at + 1}`,
  );
  const sheets = [
    summarySheet(statement, style, balances),
    // The last one reads to the end, where it is found out whether lines are missing.
    ...names.map((_, at) => linesSheet(lines, at === count - 1 ? Number.POSITIVE_INFINITY : linesOfSheet)),
  ];
  try {
    yield* writeZip([...frame([words.summary, ...names]), ...sheets.map(sheetFile)]);
  } finally {
    await lines.return(undefined);
  }
}

async function* walk(batches: AsyncIterable<LineView[]>): AsyncGenerator<LineView> {
  for await (const lines of batches) yield* lines;
}

const sheetFile = (rows: AsyncIterable<string>, at: number): ZippedFile => ({
  name: `xl/worksheets/sheet${at + 1}.xml`,
  chunks: toChunks(rows),
});

/** Everything but the sheets. */
function frame(names: readonly string[]): ZippedFile[] {
  const ids = names.map((_, at) => at + 1);
  const type = (part: string, kind: string) =>
    `<Override PartName="/xl/${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
  const relation = (id: string | number, kind: string, target: string) =>
    `<Relationship Id="r${id}" Type="${relations}/${kind}" Target="${target}"/>`;
  const related = (inside: string) =>
    `<Relationships xmlns="${packages}/relationships">${inside}</Relationships>`;
  const sheet = (id: number) => `<sheet name="${escapeXml(names[id - 1]!)}" sheetId="${id}" r:id="r${id}"/>`;
  const files = {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types">\
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>\
<Default Extension="xml" ContentType="application/xml"/>${type('workbook.xml', 'sheet.main')}${type('styles.xml', 'styles')}\
${ids.map((id) => type(`worksheets/sheet${id}.xml`, 'worksheet')).join('')}</Types>`,
    '_rels/.rels': related(relation(1, 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${ids.map(sheet).join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': related(
      ids.map((id) => relation(id, 'worksheet', `worksheets/sheet${id}.xml`)).join('') +
        relation('s', 'styles', 'styles.xml'),
    ),
    'xl/styles.xml': styleSheet,
  };
  return Object.entries(files).map(([name, text]) => ({
    name,
    chunks: toChunks(only(declaration + text)),
  }));
}

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}

/** By their places in `cellXfs`: ordinary, bold, date and time. */
const [bold, dated] = [1, 2];
const styleSheet = `<styleSheet xmlns="${main}">\
<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd hh:mm:ss"/></numFmts>\
<fonts count="2"><font><sz val="10"/><name val="Arial"/></font><font><b/><sz val="10"/><name val="Arial"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>\
<cellXfs count="3"><xf fontId="0"/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;

const openSheet = (widths: readonly number[], frozen: string) =>
  `${declaration}<worksheet xmlns="${main}">${frozen}<cols>${widths
    .map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`)
    .join('')}</cols><sheetData>`;
const closeSheet = '</sheetData></worksheet>';

async function* summarySheet(
  statement: Statement,
  { language, number, brand, verifyUrl }: StatementStyle,
  balances: readonly StatementBalance[],
): AsyncGenerator<string> {
  const { words, period } = spellingOf(language);
  const { holder, holderAddress, userId, startAt, endAt, madeAt, lineCount } = statement;
  const { asset, network, opening, moneyIn, moneyOut, closing } = words;
  const particulars = [
    [brand.name, brand.address.join(', ')],
    [words.number, number],
    [words.holder, holder],
    ...(holderAddress === null ? [] : [[words.address, holderAddress] as const]),
    [words.user, userId],
    [words.period, period(startAt, endAt)],
    [words.made, madeAt.toISOString()],
    [words.check, verifyUrl(balances)],
  ] as const;
  const rows = [
    [textCell(words.title, bold)],
    ...particulars.map(([name, value]) => [textCell(name, bold), textCell(value)]),
    [textCell(words.movements, bold), numberCell(`${lineCount}`)],
    [],
    [asset, network, opening, moneyIn, moneyOut, closing].map((name) => textCell(name, bold)),
    ...balances.map((balance) => [
      textCell(balance.currency),
      textCell(balance.network),
      ...[balance.opening, balance.moneyIn, balance.moneyOut, balance.closing].map((amount) =>
        numberCell(formatMinor(amount, balance.decimals)),
      ),
    ]),
  ];
  yield openSheet([22, 22, 24, 24, 24, 24], '');
  yield rows.map((cells, at) => row(at + 1, cells)).join('');
  yield closeSheet;
}

const columns = [...csvColumns, lastColumn];
/** What is long gets more room. */
const widths = columns.map((name) => (/^(?:id|uniqueHashId|description)$/.test(name) ? 34 : 20));
const topRowStays =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';

async function* linesSheet(lines: AsyncGenerator<LineView>, rowsMax: number): AsyncGenerator<string> {
  yield openSheet(widths, topRowStays);
  yield row(
    1,
    columns.map((name) => textCell(name, bold)),
  );
  for (let rows = 0; rows < rowsMax; rows++) {
    const { value: line, done } = await lines.next();
    if (done) break;
    const cells = csvColumns.map((name) => cellOf(name, line[name]));
    yield row(rows + 2, [...cells, numberCell(signedAmount(line))]);
  }
  yield closeSheet;
}

const dates = new Set<keyof LineView>(['transactionDate', 'executedAt']);
const figures = new Set<keyof LineView>(['amount', 'amountSent', 'amountReceived', 'runningBalance']);

function cellOf(name: keyof LineView, value: string | null): string {
  if (value === null || value === '') return '';
  if (dates.has(name)) return dateCell(value);
  return figures.has(name) ? numberCell(value) : textCell(value);
}

/** Each cell says where it stands, because some readers require it. Empty cells are left out. */
function row(number: number, cells: readonly string[]): string {
  let text = `<row r="${number}">`;
  for (const [at, cell] of cells.entries())
    if (cell !== '') text += `<c r="${String.fromCharCode(65 + at)}${number}"${cell}</c>`;
  return `${text}</row>`;
}

/** What follows the place of a cell. A text is never a formula here. */
const textCell = (text: string, style = 0) =>
  ` t="inlineStr"${style > 0 ? ` s="${style}"` : ''}><is><t xml:space="preserve">${escapeXml(text, 32_767)}</t></is>`;

/** A spreadsheet counts with 15 digits: what has more is a text, because an amount is never rounded. */
export const numberCell = (decimal: string) =>
  decimal.replace(/^-?[0.]*|\./g, '').length <= 15 ? `><v>${decimal}</v>` : textCell(decimal);

const epochDay = 25_569;

/** In days since 1900, as spreadsheets count them. UTC, without a zone. */
const dateCell = (instant: string) =>
  ` s="${dated}"><v>${(Date.parse(instant) / dayMs + epochDay).toFixed(11)}</v>`;
