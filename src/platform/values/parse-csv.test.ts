import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from './parse-csv.ts';

const cellsOf = (text: string) => parseCsv(text, 100).map(({ cells }) => cells);

test('commas or semicolons, any end of line, quotes, and a byte order mark', () => {
  const expected = [
    ['a', 'b'],
    ['1', 'x, "y"\nz'],
  ];
  for (const text of [
    'a,b\r\n1,"x, ""y""\nz"\r\n',
    'a,b\n1,"x, ""y""\nz"',
    '\ufeffa;b\r1;"x, ""y""\nz"\r',
    '"a";"b"\n\n;\n1;"x, ""y""\nz"\n\n',
  ])
    assert.deepEqual(cellsOf(text), expected, JSON.stringify(text));
  assert.deepEqual(cellsOf(''), []);
  assert.deepEqual(cellsOf('"a,b";c\n1;2'), [
    ['a,b', 'c'],
    ['1', '2'],
  ]);
});

test('rows keep the numbers of a spreadsheet', () => {
  assert.deepEqual(
    parseCsv('a,b\n\n1,"2\n3"\n4,5', 100).map(({ at }) => at),
    [1, 3, 4],
  );
});

test('what is no table, and what is too long, is refused with its row', () => {
  for (const [text, message] of [
    ['a,b\n1,"2', 'row 2: a quote is not closed'],
    ['a,b\n1,"2"3', 'row 2: text after a closing quote'],
    ['a\n'.repeat(102), 'has more than 100 rows with the head'],
  ] as const)
    assert.throws(() => parseCsv(text, 100), { name: 'CsvFault', message });
});

test('a megabyte of any signs is read in one pass', () => {
  for (const sign of ['"', ',', ';', '\n', '\r', 'a', '""', ',"', '",']) {
    const text = sign.repeat(1_000_000 / sign.length);
    const startedAt = performance.now();
    try {
      parseCsv(text, 100);
    } catch (error) {
      assert.equal((error as Error).name, 'CsvFault');
    }
    assert.ok(performance.now() - startedAt < 20_000, JSON.stringify(sign));
  }
});
