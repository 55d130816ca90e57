import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  type PdfText,
  readFigure,
  readPdfBalances,
  readPdfRows,
  readPdfStructure,
  readPdfTexts,
} from '#test/callers/read-pdf';
import { gather, sampleBalance, sampleLine, sampleStatement, sampleStyle } from '#test/data/sample-statement';
import type { LineView } from '../open-statement.ts';
import { lineColumns } from './draw-lines.ts';
import { writePdf } from './pdf.ts';
import { planPages, sheet } from './plan-pages.ts';
import { signedAmount } from './signed-amount.ts';
import { spellingOf } from './spelling.ts';
import type { StatementStyle } from './writer.ts';

const make = (
  lines: LineView[],
  fields: Parameters<typeof sampleStatement>[1] = {},
  style: Partial<StatementStyle> = {},
) => gather(writePdf(sampleStatement(lines, fields), { ...sampleStyle, ...style }));
const samples = (count: number) => Array.from({ length: count }, (_, at) => sampleLine(at));
const textsOf = (page: PdfText[]) => page.map(({ text }) => text);

const asShown = (line: LineView) => ({
  day: spellingOf('en').day(new Date(line.transactionDate)),
  time: line.transactionDate.slice(11, 19),
  transactionType: line.transactionType,
  description: line.description,
  particulars: [],
  key: line.uniqueHashId,
  asset: line.asset,
  network: line.network,
  amount: signedAmount(line),
  runningBalance: line.runningBalance,
});

for (const count of [0, 1, 17, 18, 19, 500]) {
  test(`${count} lines: all of them, in order, on as many pages as they say`, async () => {
    const lines = samples(count);
    const pdf = await make(lines);
    assert.deepEqual(await readPdfRows(pdf), lines.map(asShown));
    const pages = await readPdfTexts(pdf);
    assert.equal(
      pages.length,
      planPages({ balances: 1, lines: count, hasAddress: false, closingHeight: 0 }).length,
    );
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
    'Jan 1, 2026 to Jan 31, 2026',
    'Feb 1, 2026 08:15:00 UTC',
    '7ZK3-0QW9-M2XA-HC5T',
    '2',
    'Summary',
    'Movements',
  ]) {
    assert.ok(texts.includes(text), `${text} in ${texts}`);
  }
});

for (const [language, name] of [
  ['en', 'Address'],
  ['pt', 'Endereço'],
] as const) {
  test(`the holder's address stands below the name, a long one in two lines, in ${language}`, async () => {
    const short = 'Rua do Ouro 12, 1100-061 Lisboa';
    const long =
      'Edifício Mar Verde, Avenida Engenheiro Duarte Pacheco 26, Torre 2, 9.º andar, 1070-110 Lisboa, Portugal';
    for (const [holderAddress, shown] of [
      [short, [short]],
      [
        long,
        [
          'Edifício Mar Verde, Avenida Engenheiro Duarte Pacheco 26,',
          'Torre 2, 9.º andar, 1070-110 Lisboa, Portugal',
        ],
      ],
    ] as const) {
      const pdf = await make(samples(40), { holderAddress }, { language });
      const [page] = await readPdfTexts(pdf);
      const texts = textsOf(page!);
      const at = texts.indexOf(name);
      assert.deepEqual(texts.slice(at - 1, at + 1 + shown.length), ['Ana Žižková', name, ...shown]);
      assert.equal((await readPdfRows(pdf)).length, 40);
    }
    assert.ok(!textsOf((await readPdfTexts(await make(samples(1), {}, { language })))[0]!).includes(name));
  });
}

test('a period that is no whole days is given to the millisecond, one without an edge in words', async () => {
  for (const [startAt, endAt, words] of [
    ['2026-01-01T10:00:00.500Z', '2026-01-31T23:59:59.999Z', 'Jan 1, 2026 10:00:00.500 UTC to Jan 31, 2026'],
    ['2026-01-01', undefined, 'from Jan 1, 2026'],
    [undefined, '2026-01-31T23:59:59.999Z', 'up to Jan 31, 2026'],
    [undefined, undefined, 'everything up to now'],
  ] as const) {
    const period = { startAt: startAt && new Date(startAt), endAt: endAt && new Date(endAt) };
    const [page] = await readPdfTexts(await make([], period as object));
    assert.ok(textsOf(page!).includes(words), words);
  }
});

test('a statement of some types says so', async () => {
  const [page] = await readPdfTexts(await make(samples(1), { types: ['transfer-token', 'swap-bridge'] }));
  const texts = textsOf(page!);
  assert.ok(texts.includes('1, only of the type Send and Convert'));
  assert.ok(texts.some((text) => text.startsWith('Movements of other types are not listed')));
});

test('opening, in, out and closing of every asset, over several pages', async () => {
  const balances = Array.from({ length: 130 }, (_, at) =>
    sampleBalance({
      network: `network-${at}`,
      currency: `C${at}`,
      opening: BigInt(at) * 1_000_000_000n,
      moneyIn: BigInt(at) * 1_500_000n,
      moneyOut: BigInt(at),
      closing: -BigInt(at) * 1_000_000n - 1n,
      decimalsUsed: 6,
    }),
  );
  const pdf = await make(samples(1), { balances });
  assert.deepEqual(
    await readPdfBalances(pdf),
    balances.map(({ currency, network }, at) => ({
      currency,
      network,
      opening: `${at * 1_000}`,
      moneyIn: `${at * 1.5}`,
      moneyOut: at === 0 ? '0' : `0.${String(at).padStart(6, '0')}`.replace(/0+$/, ''),
      closing: `-${at}.000001`,
      value: '',
    })),
  );
  assert.equal((await readPdfRows(pdf)).length, 1);
});

test('values at known prices, their total, and when the prices were quoted', async () => {
  const balances = ['EURC', 'USDC', 'USDT'].map((currency) => sampleBalance({ currency }));
  const value: StatementStyle['value'] = async (amounts) =>
    amounts.map(({ currency, amount }, at) =>
      currency === 'EURC' ? null : { cents: amount / 10_000n, quotedAt: new Date(at * 86_400_000) },
    );
  const pdf = await make([], { balances }, { value });
  const shown = await readPdfBalances(pdf);
  assert.deepEqual(
    shown.map((balance) => balance.value),
    ['–', '1234567.5', '1234567.5'],
  );
  const texts = textsOf((await readPdfTexts(pdf))[0]!);
  assert.ok(texts.includes('2,469,135.00'));
  assert.ok(texts.some((text) => text.startsWith('Values at the prices of Jan 2, 1970 00:00:00 UTC.')));
});

test('in Portuguese: words, dates and figures', async () => {
  const lines = samples(2);
  const pdf = await make(lines, {}, { language: 'pt' });
  const [page] = await readPdfTexts(pdf);
  const texts = textsOf(page!);
  for (const text of [
    'Extrato de conta',
    '01/01/2026 a 31/01/2026',
    'Saldo final',
    '7.920,50',
    'Página 1 de 1',
  ])
    assert.ok(texts.includes(text) || texts.includes(`-${text}`), `${text} in ${texts}`);
  const rows = await readPdfRows(pdf, 'pt');
  assert.deepEqual(
    rows.map(({ day, transactionType, amount }) => [day, transactionType, amount]),
    lines.map((line) => ['31/01/2026', line.transactionType, signedAmount(line)]),
  );
});

test('each asset has a fixed number of decimals', async () => {
  const balances = [
    sampleBalance({ currency: 'EURC', decimalsUsed: 6 }),
    sampleBalance({ currency: 'USDC', decimalsUsed: 0 }),
  ];
  const lines = ['1', '1.5', '1.234567'].flatMap((amount, at) => [
    sampleLine(at * 4, { asset: 'EURC', amount, amountReceived: amount, runningBalance: amount }),
    sampleLine(at * 4 + 2, { asset: 'USDC', amount: `${at}`, amountReceived: `${at}`, runningBalance: '7' }),
  ]);
  const [page] = await readPdfTexts(await make(lines, { balances }));
  const figures = page!.filter(({ x }) => x > lineColumns.amount.left && x < lineColumns.amount.right);
  assert.deepEqual(
    textsOf(figures)
      .filter((text) => /^[\d.]+$/.test(text))
      .slice(-6),
    ['1.000000', '0.00', '1.500000', '1.00', '1.234567', '2.00'],
  );
});

test('tagged: language, title, tables with heads and cells, and nothing outside of the structure', async () => {
  for (const [language, tag] of [
    ['en', 'en'],
    ['pt', 'pt-BR'],
  ] as const) {
    const pdf = await make(samples(30), {}, { language });
    const { roles, untagged, info, markInfo, annotations } = await readPdfStructure(pdf);
    const count = (role: string) => roles.filter((one) => one === role).length;
    assert.equal(info.Language, tag);
    assert.equal(info.Title, `${spellingOf(language).words.title} 7ZK3-0QW9-M2XA-HC5T`);
    assert.equal(markInfo?.Marked, true);
    // One row of balances with six cells, and thirty lines with five; each table has its head once.
    assert.deepEqual([count('TH'), count('TD'), count('H1'), count('H2')], [6 + 5, 6 + 30 * 5, 1, 2]);
    assert.equal(untagged, 0);
    const links = annotations.map(({ url }: { url: string }) => url);
    assert.deepEqual(links, [sampleStyle.verifyUrl([])]);
    assert.equal(count('Link'), 1);
  }
});

test('issuer: name, address and logo; the ledger head and the page that checks it', async () => {
  const logo = readFileSync(path.resolve(import.meta.dirname, '../../../../test/data/logo.png'));
  const address = ['Rua Augusta 1500', '01304-001 São Paulo'];
  for (const brand of [
    { name: 'Ponte S.A.', address },
    { name: 'Ponte S.A.', address, logo },
  ]) {
    const pdf = await make(samples(1), {}, { brand });
    const texts = textsOf((await readPdfTexts(pdf))[0]!);
    for (const text of ['Ponte S.A.', ...address, sampleStyle.verifyUrl([])])
      assert.ok(texts.includes(text), `${text} in ${texts}`);
    assert.ok(texts.includes(`Ledger head: line 12,345, SHA-256 ${'5f'.repeat(32)}`));
    const { roles } = await readPdfStructure(pdf);
    assert.equal(roles.includes('Figure'), 'logo' in brand);
  }
});

test('figures stand with their decimal points below each other, at the right of their column', async () => {
  const amounts = ['1', '1234.5', '1234567.123456', '0.000001', '99999.9'];
  const pdf = await make(
    amounts.map((amount, at) => sampleLine(at * 2, { amount, runningBalance: amount })),
    {
      balances: [sampleBalance({ decimalsUsed: 6 })],
    },
  );
  const [page] = await readPdfTexts(pdf);
  for (const column of [lineColumns.amount, lineColumns.balance]) {
    const figures = page!
      .filter(
        ({ x, text, size }) => size === 8 && x > column.left && x < column.right && /^[\d.,]+$/.test(text),
      )
      .slice(-amounts.length);
    assert.deepEqual(
      figures.map(({ text }) => readFigure(text)),
      amounts,
    );
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
  const minor = BigInt(amount.replace('.', ''));
  const line = sampleLine(1, { amount, runningBalance: `-${amount}` });
  const pdf = await make([line], {
    balances: [sampleBalance({ opening: minor, closing: -minor })],
  });
  assert.deepEqual(await readPdfRows(pdf), [asShown(line)]);
  const [balance] = await readPdfBalances(pdf);
  assert.deepEqual([balance!.opening, balance!.closing], [amount, `-${amount}`]);
  for (const { x, right } of (await readPdfTexts(pdf))[0]!) {
    assert.ok(x >= sheet.left && right <= sheet.right + 0.05);
  }
});

test('a description with an address is set smaller, and keys are whole', async () => {
  const description = 'Withdrawal to 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const uniqueHashId = `0x${'ab'.repeat(32)}:2147483647`;
  const pdf = await make([sampleLine(0, { description, uniqueHashId })]);
  const [row] = await readPdfRows(pdf);
  assert.deepEqual([row!.description, row!.key], [description, uniqueHashId]);
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
    rows.map(({ description, amount, particulars }) => [description, amount, particulars]),
    [
      ['Converted – Rent', '91.5', ['for 100.00 USDC']],
      ['Converted', huge, ['for 100.00 USDC']],
      ['Converted', '91.5', [`for ${spellingOf('en').figure(huge, 2)} USDC`]],
      ['Line 6', '47515.5', ['reversed']],
    ],
  );
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
  for await (const chunk of writePdf(statement, sampleStyle)) {
    assert.ok(chunk.length < 100_000);
    break;
  }
  assert.ok(read < 2_000, `${read} lines were read for the first chunk`);
  assert.ok(isClosed);
});
