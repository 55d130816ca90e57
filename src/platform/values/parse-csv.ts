/** Why a text is no table. */
export class CsvFault extends Error {
  override readonly name = 'CsvFault';
}

/**
 * The cells of a CSV by RFC 4180, with any end of line and a comma or semicolon between cells, whichever the
 * first line has more of. Empty lines are left out. `rows` has each with its number, from 1, as spreadsheets
 * count. One pass over the text, whatever is in it.
 */
export function parseCsv(text: string, rowsMax: number): { at: number; cells: string[] }[] {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const separator = separatorOf(text, start);
  const rows: { at: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let number = 1;
  for (let at = start; at <= text.length; ) {
    const { cell, next } = text[at] === '"' ? readQuoted(text, at, number) : readPlain(text, at, separator);
    cells.push(cell);
    const end = text[next];
    if (end !== separator && end !== '\r' && end !== '\n' && end !== undefined)
      throw new CsvFault(`row ${number}: text after a closing quote`);
    at = next + (text.startsWith('\r\n', next) ? 2 : 1);
    if (end === separator) continue;
    if (cells.some((one) => one !== '')) rows.push({ at: number, cells });
    if (rows.length > rowsMax) throw new CsvFault(`has more than ${rowsMax} rows with the head`);
    cells = [];
    number += 1;
  }
  return rows;
}

function separatorOf(text: string, start: number): string {
  let [commas, semicolons, isQuoted] = [0, 0, false];
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (sign === '\n' || sign === '\r') break;
    if (sign === ',') commas += 1;
    if (sign === ';') semicolons += 1;
  }
  return semicolons > commas ? ';' : ',';
}

function readPlain(text: string, at: number, separator: string): { cell: string; next: number } {
  let next = at;
  while (next < text.length && text[next] !== separator && text[next] !== '\n' && text[next] !== '\r')
    next += 1;
  return { cell: text.slice(at, next), next };
}

/** With quotes doubled inside. */
function readQuoted(text: string, at: number, row: number): { cell: string; next: number } {
  let cell = '';
  for (let from = at + 1; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new CsvFault(`row ${row}: a quote is not closed`);
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { cell, next: quote + 1 };
    cell += '"';
    from = quote + 2;
  }
}
