import { invalidField } from '#platform/errors/errors';
import { CsvFault, parseCsv } from '#platform/values/parse-csv';
import type { FileRow } from './queries.ts';

export const rowsMax = 1_000;
export const fileBytesMax = 1024 * 1024;

const required = ['to', 'amount', 'currency', 'network'] as const;
const columns = [...required, 'externalId'] as const;
type Column = (typeof columns)[number];

/** For people to begin with. */
export const template = [
  columns.join(','),
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed,12.50,USDC,base,salary-07-ana',
  'bruno.costa@example.com,3,USDT,polygon,salary-07-bruno',
  '',
].join('\r\n');

/**
 * The rows of a file. A file that is no table with these columns is refused as a whole; what is wrong with a
 * row is found later. Currency and network have no default: an empty cell must not choose what is paid.
 */
export function readFile(csv: string): FileRow[] {
  if (Buffer.byteLength(csv) > fileBytesMax) throw refuse('must have at most 1 MB');
  if (csv.includes('\0') || csv.includes('\ufffd')) throw refuse('must be a text in UTF-8');
  const [head, ...rows] = cellsOf(csv);
  if (!head) throw refuse('must not be empty');
  const places = placesOf(head.cells);
  if (rows.length === 0) throw refuse('must have a row below the head');
  return rows.map(({ at, cells }) => {
    if (cells.length > head.cells.length) throw refuse(`row ${at}: more cells than the head has`);
    const read = (name: Column) => (cells[places.get(name) ?? cells.length] ?? '').trim();
    const externalId = read('externalId');
    const [to, amount, currency, network] = required.map(read) as [string, string, string, string];
    return { row: at, to, amount, currency, network, ...(externalId !== '' && { externalId }) };
  });
}

function cellsOf(csv: string) {
  try {
    return parseCsv(csv, rowsMax + 1);
  } catch (error) {
    if (error instanceof CsvFault) throw refuse(error.message);
    throw error;
  }
}

function placesOf(head: readonly string[]): Map<Column, number> {
  const places = new Map<Column, number>();
  for (const [at, given] of head.entries()) {
    const name = columns.find((one) => one.toLowerCase() === given.trim().toLowerCase());
    if (!name) throw refuse(`row 1: the columns are ${columns.join(', ')}`);
    if (places.has(name)) throw refuse(`row 1: the column ${name} is there twice`);
    places.set(name, at);
  }
  const missing = required.find((name) => !places.has(name));
  if (missing) throw refuse(`row 1: the column ${missing} is missing`);
  return places;
}

const refuse = (message: string) => invalidField('csv', message);
