/** An answer for a person: a table for lists, `name  value` lines for one record. */
export function renderAnswer(data: unknown, widthMax = Number.POSITIVE_INFINITY): string {
  const { items, nextCursor } = data as { items?: Item[]; nextCursor?: string | null };
  if (!Array.isArray(items)) return renderRecord(data as Item);
  if (items.length === 0) return 'Nothing found.';
  const { table, left } = renderTable(items, widthMax);
  const notes = [
    ...(left.length > 0 ? [`Not shown: ${left.join(', ')}. Use --json to see everything`] : []),
    ...(nextCursor ? [`More: add --cursor ${nextCursor}`] : []),
  ];
  return [table, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

type Item = Record<string, unknown>;

function renderRecord(record: Item): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}  ${renderValue(value)}`.trimEnd())
    .join('\n');
}

/** A row is one line. Nested fields, and fields that do not fit the width, are left out and listed. */
function renderTable(items: Item[], widthMax: number): { table: string; left: string[] } {
  const columns = Object.keys(items[0]!)
    .map((name) => ({ name, cells: [name, ...items.map((item) => renderValue(item[name]))] }))
    .map((column) => ({ ...column, width: Math.max(...column.cells.map((cell) => cell.length)) }))
    .filter(({ cells }) => cells.slice(1).some((cell) => cell !== ''));
  const flat = columns.filter(({ name }) => !items.some((item) => isNested(item[name])));
  let width = -gap.length;
  const shown = flat.filter((column, at) => {
    width += gap.length + column.width;
    return at === 0 || width <= widthMax;
  });
  const lines = [undefined, ...items].map((_, line) =>
    shown.map(({ cells, width }) => cells[line]!.padEnd(width)).join(gap),
  );
  return {
    table: lines.map((line) => line.trimEnd()).join('\n'),
    left: columns.filter((column) => !shown.some(({ name }) => name === column.name)).map(({ name }) => name),
  };
}

const gap = '  ';

const isNested = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isNested) : typeof value === 'object' && value !== null;

function renderValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(renderValue).join(', ');
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([name, inner]) => [name, renderValue(inner)]);
    return fields
      .filter(([, text]) => text !== '')
      .map(([name, text]) => `${name}=${text}`)
      .join(' ');
  }
  const text = String(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2Z');
  // Names are user input: replace characters that could move the cursor, colour the line or reverse its
  // direction.
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
