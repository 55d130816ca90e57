import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PdfText, readPdfBalances, readPdfRows, readPdfTexts } from '#test/read-pdf';
import { gather, sampleLine, sampleStatement } from '#test/sample-statement';
import type { LineType, LineView, Statement } from '../open-statement.ts';
import { lineColumns, otherLeg, shortKey, signedAmount } from './draw-page.ts';
import { writePdf } from './pdf.ts';
import { planPages, sheet } from './plan-pages.ts';

const allTypes: LineType[] = ['buy', 'sell', 'swap-bridge', 'transfer-token'];
const make = (lines: LineView[], fields: Partial<Statement> = {}) =>
  gather(writePdf(sampleStatement(lines, fields), allTypes));
const samples = (count: number) => Array.from({ length: count }, (_, at) => sampleLine(at));
const textsOf = (page: PdfText[]) => page.map(({ text }) => text);

const asShown = (line: LineView) => ({
  transactionDate: line.transactionDate,
  transactionType: line.transactionType,
  description: line.description,
  key: shortKey(line.uniqueHashId),
  asset: line.asset,
  network: line.network,
  amount: signedAmount(line),
  other: otherLeg(line) ?? '',
  runningBalance: line.runningBalance,
});

for (const count of [0, 1, 20, 21, 22, 500]) {
  test(`${count} lines: all of them, in order, on as many pages as they say`, async () => {
    const lines = samples(count);
    const pdf = await make(lines);
    assert.deepEqual(await readPdfRows(pdf), lines.map(asShown));
    const pages = await readPdfTexts(pdf);
    assert.equal(pages.length, planPages({ balances: 1, lines: count }).length);
    for (const [at, page] of pages.entries()) {
      assert.ok(textsOf(page).includes(`Page ${at + 1} of ${pages.length}`));
      assert.ok(at === 0 || textsOf(page).includes('Date (UTC)'), 'no table head');
    }
    assert.equal(textsOf(pages[0]!).includes('No movements in this period.'), count === 0);
  });
}

test('the first page says whose statement it is, of when, made when', async () => {
  const [page] = await readPdfTexts(await make(samples(2)));
  const texts = textsOf(page!);
  for (const text of [
    'Account statement',
    'Ana Žižková',
    '0198a6a0-0000-7000-8000-000000000001',
    '2026-01-01 to 2026-01-31',
    '2026-02-01 08:15:00 UTC',
    '2',
    'Balances',
    'Movements',
  ]) {
    assert.ok(texts.includes(text), `${text} in ${texts}`);
  }
});

test('a period that is no whole days is given to the millisecond, one without an edge in words', async () => {
  for (const [startAt, endAt, words] of [
    ['2026-01-01T10:00:00.500Z', '2026-01-31T23:59:59.999Z', '2026-01-01 10:00:00.500 UTC to 2026-01-31'],
    ['2026-01-01', undefined, 'from 2026-01-01'],
    [undefined, '2026-01-31T23:59:59.999Z', 'up to 2026-01-31'],
    [undefined, undefined, 'everything up to now'],
  ] as const) {
    const period = { startAt: startAt && new Date(startAt), endAt: endAt && new Date(endAt) };
    const [page] = await readPdfTexts(await make([], period as Partial<Statement>));
    assert.ok(textsOf(page!).includes(words), words);
  }
});

test('a statement of some types says so', async () => {
  const pdf = await gather(writePdf(sampleStatement(samples(1)), ['transfer-token', 'swap-bridge']));
  const [page] = await readPdfTexts(pdf);
  assert.ok(textsOf(page!).includes('1, only of the type Send and Convert'));
});

test('opening and closing balances of every asset, over several pages', async () => {
  const balances = Array.from({ length: 130 }, (_, at) => ({
    network: `network-${at}`,
    currency: `C${at}`,
    opening: `${at * 1_000}`,
    closing: `-${at}.000001`,
  }));
  const pdf = await make(samples(1), { balances });
  assert.deepEqual(
    await readPdfBalances(pdf),
    balances.map(({ currency, network, opening, closing }) => ({ currency, network, opening, closing })),
  );
  assert.equal((await readPdfRows(pdf)).length, 1);
});

test('figures stand with their decimal points below each other, at the right of their column', async () => {
  const amounts = ['1', '1234.5', '1234567.123456', '0.000001', '99999.9'];
  const pdf = await make(amounts.map((amount, at) => sampleLine(at * 2, { amount, runningBalance: amount })));
  const [page] = await readPdfTexts(pdf);
  for (const column of [lineColumns.amount, lineColumns.balance]) {
    const figures = page!.filter(
      ({ text, x }) => amounts.includes(text) && x > column.left && x < column.right,
    );
    assert.equal(figures.length, amounts.length);
    const digit = 0.572 * 8;
    const points = figures.map(({ text, right }) => {
      const fraction = text.split('.')[1];
      return fraction === undefined ? right : right - fraction.length * digit - 0.268 * 8;
    });
    for (const point of points) assert.ok(Math.abs(point - points[0]!) < 0.05, `${points}`);
    const widest = Math.max(...figures.map(({ right }) => right));
    assert.ok(Math.abs(widest - column.right) < 0.05, `${widest}`);
  }
});

test('an amount of 78 digits is there with every digit, inside its column', async () => {
  const amount = `${'1234567890'.repeat(8).slice(0, 72)}.123456`;
  const line = sampleLine(1, { amount, runningBalance: `-${amount}` });
  const pdf = await make([line], {
    balances: [{ network: 'base', currency: 'USDT', opening: amount, closing: `-${amount}` }],
  });
  assert.deepEqual(await readPdfRows(pdf), [asShown(line)]);
  const [balance] = await readPdfBalances(pdf);
  assert.deepEqual([balance!.opening, balance!.closing], [amount, `-${amount}`]);
  for (const { x, right } of (await readPdfTexts(pdf))[0]!) {
    assert.ok(x >= sheet.left && right <= sheet.right + 0.05);
  }
});

test('a long description is cut where its column ends, with an ellipsis', async () => {
  const description = 'A description that goes on and on. '.repeat(6).slice(0, 200);
  const pdf = await make([sampleLine(0, { description })]);
  const [row] = await readPdfRows(pdf);
  assert.match(row!.description, /^A description that .*…$/);
  const [page] = await readPdfTexts(pdf);
  const { right } = page!.find(({ text }) => text === row!.description)!;
  assert.ok(right < lineColumns.asset);
});

test('Latin, Greek and Cyrillic as they are; what the font lacks as U+FFFD, also what would turn the line around', async () => {
  for (const [description, shown] of [
    ['Łódź Əliyev Nguyễn Thị', 'Łódź Əliyev Nguyễn Thị'],
    ['Σωκράτης Щербаков', 'Σωκράτης Щербаков'],
    ['e\u0301', 'é'],
    ['山田 x', '\ufffd\ufffd x'],
    ['שלום x', '\ufffd\ufffd\ufffd\ufffd x'],
    ['नम x', '\ufffd\ufffd x'],
    ['😀 x', '\ufffd x'],
    ['a\u202eb\u0007c', 'a\ufffdb\ufffdc'],
    ['a\tb\nc', 'a b c'],
    ['\ud800 x', '\ufffd x'],
  ] as const) {
    const [row] = await readPdfRows(await make([sampleLine(0, { description })]));
    assert.equal(row!.description, shown, JSON.stringify(description));
  }
  const [page] = await readPdfTexts(await make([], { holder: '山田 太郎' }));
  assert.ok(textsOf(page!).includes('\ufffd\ufffd \ufffd\ufffd'));
});

test('what an exchange gave, what the user wrote and a status that is not the usual one are shown', async () => {
  const exchange = { transactionType: 'swap-bridge', assetSent: 'USDC', amountSent: '100' } as const;
  const received = { asset: 'EURC', amount: '91.5', assetReceived: 'EURC', amountReceived: '91.5' };
  const huge = '9'.repeat(70);
  const pdf = await make([
    sampleLine(0, { ...exchange, ...received, description: 'Converted', userDescription: 'Rent' }),
    sampleLine(2, { ...exchange, ...received, description: 'Converted', amount: huge, amountReceived: huge }),
    sampleLine(4, { ...exchange, ...received, description: 'Converted', amountSent: huge }),
    sampleLine(6, { status: 'reversed' }),
  ]);
  const rows = await readPdfRows(pdf);
  assert.deepEqual(
    rows.map(({ description, amount, other }) => [description, amount, other]),
    [
      ['Converted – Rent', '91.5', '-100 USDC'],
      ['-100 USDC – Converted', huge, ''],
      ['Converted', '91.5', `-${huge} USDC`],
      ['Line 6', '47515.5', ''],
    ],
  );
  const [page] = await readPdfTexts(pdf);
  assert.ok(textsOf(page!).some((text) => text.startsWith('Deposit · reversed · 0x')));
});

test('fewer or more lines than announced: no end, but a fault', async () => {
  for (const lineCount of [2, 4, 40]) await assert.rejects(make(samples(3), { lineCount }), /a statement of/);
});

test('pages are sent while lines are still being read, and a reader that stops also stops the source', async () => {
  let read = 0;
  let isClosed = false;
  async function* batches() {
    try {
      for (; ; read += 100) yield samples(100);
    } finally {
      isClosed = true;
    }
  }
  const statement = sampleStatement([], { lineCount: 100_000, batches: batches() });
  for await (const chunk of writePdf(statement, allTypes)) {
    assert.ok(chunk.length < 100_000);
    break;
  }
  assert.ok(read < 2_000, `${read} lines were read for the first chunk`);
  assert.ok(isClosed);
});
