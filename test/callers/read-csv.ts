/**
 * The records of a CSV by RFC 4180, each by the names of the head. Stricter than most readers: what it does
 * not allow throws.
 */
export function readCsv(text: string): Record<string, string>[] {
  const [head, ...rows] = readCsvCells(text);
  return rows.map((cells, at) => {
    if (cells.length !== head!.length) throw new Error(`row ${at + 1} has ${cells.length} cells`);
    return Object.fromEntries(head!.map((name, column) => [name, cells[column]!]));
  });
}

export function readCsvCells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at < text.length; ) {
    // Quoted, with quotes doubled; or plain, without quotes and ends of lines.
    const cell = /"((?:[^"]|"")*)"|[^",\r\n]*/y;
    cell.lastIndex = at;
    const [found, quoted] = cell.exec(text)!;
    row.push(quoted?.replaceAll('""', '"') ?? found);
    at += found.length;
    const end = text.startsWith('\r\n', at);
    if (!end && text[at] !== ',') throw new Error(`no comma and no end of line at ${at}`);
    at += end ? 2 : 1;
    if (!end) continue;
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last row does not end');
  return rows;
}
