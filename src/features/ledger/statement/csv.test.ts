import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { guardCell, writeCell } from '#platform/values/csv-cell';
import { readCsv, readCsvCells } from '#test/callers/read-csv';
import { gather, sampleLine, sampleStatement, sampleStyle } from '#test/data/sample-statement';
import { csvColumns, writeCsv } from './csv.ts';
import { signedAmount } from './signed-amount.ts';

const names = [...csvColumns, 'signedAmount'];

test('a head and one row a line, in the order of the lines, CRLF at every end', async () => {
  const lines = Array.from({ length: 250 }, (_, at) => sampleLine(at));
  const text = (await gather(writeCsv(sampleStatement(lines), sampleStyle))).toString();
  assert.deepEqual(readCsvCells(text)[0], names);
  assert.equal(text.split('\r\n').length, 252);
  assert.ok(text.endsWith('\r\n') && !/[^\r]\n/.test(text));
  const expected = lines.map((line) =>
    Object.fromEntries([
      ...csvColumns.map((column) => [column, line[column] ?? '']),
      ['signedAmount', signedAmount(line)],
    ]),
  );
  assert.deepEqual(readCsv(text), expected);
});

test('rows longer than a chunk, and many chunks: every cell as it is written alone', async () => {
  const texts = ['x'.repeat(200_000), '山"'.repeat(90_000), 'é'.repeat(70_000), '', 'plain'];
  const lines = Array.from({ length: 300 }, (_, at) =>
    sampleLine(at, { description: texts[at % 60] ?? `Zahlung Nr. ${at}, überwiesen`, userDescription: '=1' }),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of writeCsv(sampleStatement(lines), sampleStyle)) chunks.push(chunk);
  assert.ok(chunks.length > 10);
  const rows = lines.map((line) =>
    [...csvColumns.map((column) => writeCell(line[column])), signedAmount(line)].join(','),
  );
  assert.equal(Buffer.concat(chunks).toString(), `${[names.join(','), ...rows].join('\r\n')}\r\n`);
});

test('no lines: the head alone', async () => {
  const text = (await gather(writeCsv(sampleStatement([]), sampleStyle))).toString();
  assert.equal(text, `${names.join(',')}\r\n`);
});

test('a byte order mark, if one is wanted, and nothing else is different', async () => {
  const write = async (hasBom: boolean) =>
    gather(writeCsv(sampleStatement([sampleLine(1), sampleLine(2)]), { ...sampleStyle, hasBom }));
  const [plain, marked] = [await write(false), await write(true)];
  assert.equal(marked.toString('hex'), `efbbbf${plain.toString('hex')}`);
});

test('what goes out has a sign in the last column, and instants are ISO 8601 in UTC', async () => {
  const rows = readCsv(
    (await gather(writeCsv(sampleStatement([0, 1].map((at) => sampleLine(at))), sampleStyle))).toString(),
  );
  assert.deepEqual(
    rows.map(({ amount, signedAmount, transactionDate }) => [amount, signedAmount, transactionDate]),
    [
      ['1.5', '1.5', '2026-01-31T23:59:59.999Z'],
      ['7920.5', '-7920.5', '2026-01-31T23:58:58.998Z'],
    ],
  );
});

for (const [cell, written] of [
  [null, ''],
  ['', ''],
  ['plain words', 'plain words'],
  ['Ana, "the first"', '"Ana, ""the first"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  [' spaces ', '" spaces "'],
  ['Σωκράτης 山田', 'Σωκράτης 山田'],
  ['-12.5', '-12.5'],
  ['0.000001', '0.000001'],
  ['=1+1', "'=1+1"],
  ['+1 555 0100', "'+1 555 0100"],
  ['-1+cmd', "'-1+cmd"],
  ['-', "'-"],
  ['-12.5.6', "'-12.5.6"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠x', "'＠x"],
  ['\t=1', '"\'\t\'=1"'],
  ['\rx', '"\'\rx"'],
  ['\nx', '"\'\nx"'],
  [' =1', "' =1"],
  ['"=1', '"\'""=1"'],
  ['a;=1', '"a;\'=1"'],
  ['a\n=1', '"a\n\'=1"'],
  ['a=1', 'a=1'],
  ['mail@example.com', 'mail@example.com'],
] as const) {
  test(`cell ${JSON.stringify(cell)} is written as ${JSON.stringify(written)}`, () => {
    assert.equal(writeCell(cell), written);
  });
}

test('any text comes back as it was guarded, and no cell begins a formula in any country', () => {
  const characters = fc.constantFrom(...'=+-@＝＋－＠;,"\'\t\r\n aé山.0', '\u{1f600}');
  fc.assert(
    fc.property(fc.array(fc.string({ unit: characters, maxLength: 12 }), { minLength: 1 }), (cells) => {
      const text = `${cells.map(writeCell).join(',')}\r\n`;
      const guarded = cells.map(guardCell);
      assert.deepEqual(readCsvCells(text), [guarded]);
      for (const cell of guarded) {
        for (const part of cell.split(/[;\t\r\n]/)) {
          const isNumber = /^-?\d+(\.\d+)?$/.test(cell);
          assert.ok(isNumber || !/^[ "]*[=+\-@＝＋－＠]/.test(part), JSON.stringify(cell));
        }
      }
    }),
    { numRuns: 2_000 },
  );
});

test('fewer or more lines than announced: no end, but a fault', async () => {
  for (const lineCount of [2, 4]) {
    const lines = [0, 1, 2].map((at) => sampleLine(at));
    await assert.rejects(
      gather(writeCsv(sampleStatement(lines, { lineCount }), sampleStyle)),
      /a statement of \d lines/,
    );
  }
});

test('a reader that stops also stops the source', async () => {
  let isClosed = false;
  async function* batches() {
    try {
      for (let at = 0; ; at++) yield [sampleLine(at)];
    } finally {
      isClosed = true;
    }
  }
  for await (const chunk of writeCsv(
    sampleStatement([], { lineCount: 1e9, batches: batches() }),
    sampleStyle,
  )) {
    if (chunk.includes('line-5')) break;
  }
  assert.ok(isClosed);
});
