import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { readSheet } from 'read-excel-file/node';
import { parseMinor } from '#platform/values/money';
import { readCsv } from '#test/callers/read-csv';
import { readPdfBalances, readPdfRows } from '#test/callers/read-pdf';
import { makeUser } from '#test/data/factories';
import { gather, noValues } from '#test/data/sample-statement';
import { useHarness } from '#test/harness';
import { sized } from '#test/sizes';
import { type BatchLine, postBatch } from '../post-batch.ts';
import { roundTo5 } from './camt053.ts';
import { makeStatement, type StatementFormat } from './index.ts';
import type { StatementTerms } from './make-statement.ts';

const harness = useHarness();
const ctx = () => harness.operatorContext();
const start = Date.parse('2026-01-01T00:00:00Z');
const day = 86_400_000;
const period = { startAt: new Date(start + 10 * day), endAt: new Date(start + 20 * day) };

/** An asset by its name, with what it had, what each line changed, and what it has; in base units. */
interface Book {
  opening: bigint;
  changes: bigint[];
  closing: bigint;
}
type Books = Map<string, Book>;

const make = async (userId: string, format: StatementFormat, more: Partial<StatementTerms> = {}) =>
  gather(
    (await makeStatement(ctx(), { userId, format, feature: 'account', ...period, ...more }, noValues)).chunks,
  );

/** `-1234.5` in millionths. */
function minor(text: string): bigint {
  const amount = parseMinor(text.replace(/^-/, ''), 6);
  assert.ok(amount !== undefined, text);
  return text.startsWith('-') ? -amount : amount;
}

/** What the lines of CSV and XLSX changed, by asset. */
function changesOf(rows: readonly Record<string, string>[]): Map<string, bigint[]> {
  const changes = new Map<string, bigint[]>();
  const add = (asset: string, amount: bigint) => changes.set(asset, [...(changes.get(asset) ?? []), amount]);
  for (const { network, assetSent, amountSent, assetReceived, amountReceived } of rows) {
    if (assetReceived) add(`${assetReceived} on ${network}`, minor(amountReceived!));
    if (assetSent) add(`${assetSent} on ${network}`, -minor(amountSent!));
  }
  return changes;
}

const namespaces = { c: 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08' };
const schema = readFileSync(path.resolve(import.meta.dirname, '../../../../test/data/camt053.xsd'), 'utf8');

function readCamt053(xml: Buffer): Books {
  using document = XmlDocument.fromBuffer(xml);
  using schemaDocument = XmlDocument.fromString(schema);
  using validator = XsdValidator.fromDoc(schemaDocument);
  validator.validate(document);
  const books: Books = new Map();
  for (const statement of document.find('//c:Stmt', namespaces)) {
    const text = (query: string) => statement.get(query, namespaces)!.content;
    const signed = (at: string) =>
      minor(text(`${at}/c:Amt`)) * (text(`${at}/c:CdtDbtInd`) === 'DBIT' ? -1n : 1n);
    const balance = (code: string) => signed(`c:Bal[c:Tp/c:CdOrPrtry/c:Cd='${code}']`);
    const count = statement.find('c:Ntry', namespaces).length;
    const changes = Array.from({ length: count }, (_, at) => signed(`c:Ntry[${at + 1}]`));
    books.set(text('c:Acct/c:Nm'), { opening: balance('OPBD'), changes, closing: balance('CLBD') });
  }
  return books;
}

/** The exact amounts, which entries of camt.053 have beside the rounded ones. */
function readExact(xml: Buffer): Map<string, bigint[]> {
  using document = XmlDocument.fromBuffer(xml);
  return new Map(
    document
      .find('//c:Stmt', namespaces)
      .map((statement) => [
        statement.get('c:Acct/c:Nm', namespaces)!.content,
        statement
          .find('c:Ntry/c:NtryDtls/c:TxDtls/c:RmtInf/c:Ustrd[1]', namespaces)
          .map(({ content }) => minor(content.split(' ')[0]!)),
      ]),
  );
}

function readOfx(xml: Buffer): Books {
  using document = XmlDocument.fromBuffer(xml);
  return new Map(
    document.find('//STMTRS').map((statement) => {
      const texts = (query: string) => statement.find(query).map(({ content }) => content);
      const [opening, closing] = [texts('BALLIST/BAL/VALUE')[0]!, texts('LEDGERBAL/BALAMT')[0]!];
      const changes = texts('BANKTRANLIST/STMTTRN/TRNAMT').map(minor);
      return [texts('BALLIST/BAL/DESC')[0]!, { opening: minor(opening), changes, closing: minor(closing) }];
    }),
  );
}

async function readXlsx(xlsx: Buffer): Promise<{ books: Books; rows: Record<string, string>[] }> {
  const read = async (sheet: number) =>
    (await readSheet(xlsx, sheet, { parseNumber: (text) => text })) as (string | Date | null)[][];
  const [summary, lines] = [await read(1), await read(2)];
  const [head, ...cells] = lines as [string[], ...(string | Date | null)[][]];
  const spell = (cell: string | Date | null) =>
    // A day is a number of days: the reader cuts what is left of a millisecond.
    cell instanceof Date ? new Date(Math.round(cell.getTime() / 10) * 10).toISOString() : `${cell ?? ''}`;
  const rows = cells.map((row) => Object.fromEntries(head.map((name, at) => [name, spell(row[at] ?? null)])));
  const changes = changesOf(rows);
  const from = summary.findIndex(([name]) => name === 'Asset') + 1;
  const books: Books = new Map(
    summary.slice(from).map((row) => {
      const [currency, network, opening, , , closing] = row.map(String);
      const name = `${currency} on ${network}`;
      const book = { opening: minor(opening!), changes: changes.get(name) ?? [], closing: minor(closing!) };
      return [name, book];
    }),
  );
  return { books, rows };
}

const assets = [
  ['polygon', 'USDT'],
  ['polygon', 'USDC'],
  ['base', 'EURC'],
] as const;
const anyAmount = fc.oneof(
  fc.bigInt({ min: 1n, max: 50n }),
  fc.bigInt({ min: 1n, max: 9_000_000n }).map((units) => units * 10_000n),
);
const anyMove = fc.record({
  asset: fc.constantFrom(...assets),
  kind: fc.constantFrom('buy', 'sell', 'swap-bridge', 'transfer-token'),
  amount: anyAmount,
  hour: fc.nat(30 * 24),
  text: fc.constantFrom('Rent', 'A & B <c> "d"', 'Zahlung für März; =1+1', '山\u0007', 'x'.repeat(400)),
});

const decimal = (amount: bigint) => `${amount / 1_000_000n}.${String(amount % 1_000_000n).padStart(6, '0')}`;

function toLine(
  userId: string,
  { asset, kind, amount, hour, text }: typeof anyMove extends fc.Arbitrary<infer T> ? T : never,
): BatchLine {
  const [network, currency] = asset;
  const transactionDate = new Date(start + hour * 3_600_000).toISOString();
  const words = {
    userId,
    network,
    transactionDate,
    description: text.replace('\u0007', ''),
    userDescription: 'me',
  };
  const sent = { assetSent: currency, amountSent: decimal(amount) };
  if (kind === 'buy')
    return { ...words, transactionType: kind, assetReceived: currency, amountReceived: decimal(amount) };
  if (kind === 'transfer-token') return { ...words, transactionType: kind, ...sent };
  if (kind !== 'swap-bridge' || network === 'base') return { ...words, transactionType: 'sell', ...sent };
  const other = currency === 'USDT' ? 'USDC' : 'USDT';
  return {
    ...words,
    transactionType: kind,
    ...sent,
    assetReceived: other,
    amountReceived: decimal(amount + 7n),
  };
}

const sum = (amounts: readonly bigint[]) => amounts.reduce((all, one) => all + one, 0n);
const changesIn = (books: Books) => new Map([...books].map(([name, { changes }]) => [name, changes]));

test('any ledger, every format: opening and lines are closing, and the lines are the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyMove, { maxLength: 40 }), async (moves) => {
      const { id: userId } = await makeUser(harness);
      const funds = assets.map((asset) =>
        toLine(userId, { asset, kind: 'buy', amount: 10n ** 13n, hour: 0, text: 'Funds' }),
      );
      await postBatch(ctx(), { key: randomUUID(), lines: funds });
      if (moves.length > 0)
        await postBatch(ctx(), { key: randomUUID(), lines: moves.map((move) => toLine(userId, move)) });

      const order = { order: 'oldest' } as const;
      const { books, rows } = await readXlsx(await make(userId, 'xlsx', order));
      assert.equal(books.size, 3);
      for (const [name, { opening, changes, closing }] of books)
        assert.equal(opening + sum(changes), closing, name);
      assert.deepEqual(readOfx(await make(userId, 'ofx')), books);

      const camt = await make(userId, 'camt053');
      assert.deepEqual(readExact(camt), changesIn(books));
      for (const [name, { opening, changes, closing }] of readCamt053(camt)) {
        assert.equal(opening + sum(changes), closing, name);
        const exact = books.get(name)!;
        assert.equal(opening, roundTo5(exact.opening, 6) * 10n, name);
        changes.forEach((change, at) => {
          const off = change - exact.changes[at]!;
          assert.ok(off <= 10n && off >= -10n, `${name}: ${off}`);
        });
      }

      const csv = readCsv((await make(userId, 'csv', order)).toString());
      const compared = (row: Record<string, string>) =>
        [row.uniqueHashId, row.transactionDate, row.asset, row.signedAmount, row.runningBalance].join(' ');
      assert.deepEqual(csv.map(compared), rows.map(compared));
      const newest = readCsv((await make(userId, 'csv')).toString());
      assert.deepEqual(newest.toReversed(), csv);

      const pdf = await make(userId, 'pdf', order);
      const shown = (await readPdfRows(pdf)).map((row) => [
        row.key,
        row.asset,
        row.amount,
        row.runningBalance,
      ]);
      assert.deepEqual(
        shown,
        csv.map((row) => [row.uniqueHashId, row.asset, row.signedAmount, row.runningBalance]),
      );
      for (const { currency, network, opening, moneyIn, moneyOut, closing } of await readPdfBalances(pdf)) {
        const exact = books.get(`${currency} on ${network}`)!;
        assert.deepEqual([minor(opening), minor(closing)], [exact.opening, exact.closing]);
        assert.equal(minor(opening) + minor(moneyIn) - minor(moneyOut), minor(closing));
      }
    }),
    { numRuns: sized(12, 60), interruptAfterTimeLimit: 60_000 },
  );
});

test('newest first: entries of camt.053 and OFX are turned around, and still add up', async () => {
  const { id: userId } = await makeUser(harness);
  const lines = [3n, 15n, 26n, 1n].map((amount, hour) =>
    toLine(userId, { asset: assets[0], kind: 'buy', amount, hour: 11 * 24 + hour, text: 'Funds' }),
  );
  await postBatch(ctx(), { key: randomUUID(), lines });
  const turn = { order: 'newest' } as const;
  const [ofx, turned] = [readOfx(await make(userId, 'ofx')), readOfx(await make(userId, 'ofx', turn))];
  const [name] = ofx.keys();
  assert.deepEqual(turned.get(name!)!.changes, ofx.get(name!)!.changes.toReversed());
  const { opening, changes, closing } = readCamt053(await make(userId, 'camt053', turn)).get(name!)!;
  assert.deepEqual([opening, sum(changes), closing], [0n, 50n, 50n]);
});

test('no lines at all: every format is valid and says so', async () => {
  const { id: userId } = await makeUser(harness);
  assert.deepEqual(
    [...readCamt053(await make(userId, 'camt053')).values()],
    [{ opening: 0n, changes: [], closing: 0n }],
  );
  assert.equal(readOfx(await make(userId, 'ofx')).size, 0);
  assert.deepEqual(await readXlsx(await make(userId, 'xlsx')), { books: new Map(), rows: [] });
  assert.deepEqual(await readPdfRows(await make(userId, 'pdf')), []);
});

test('400: formats with accounts need every line, and camt.053 has room for 13 digits', async () => {
  const { id: userId } = await makeUser(harness);
  for (const format of ['camt053', 'ofx'] as const)
    await assert.rejects(make(userId, format, { feature: 'account-swap' }), {
      message: `format ${format} needs every line, so feature must be account`,
    });
  const line = toLine(userId, {
    asset: assets[0],
    kind: 'buy',
    amount: 10n ** 19n,
    hour: 11 * 24,
    text: 'Funds',
  });
  await postBatch(ctx(), { key: randomUUID(), lines: [line] });
  await assert.rejects(make(userId, 'camt053'), {
    message: 'format camt053 has no room for amounts of more than 13 digits',
  });
  assert.equal(readOfx(await make(userId, 'ofx')).get('USDT on polygon')!.closing, 10n ** 19n);
});

test('the same statement has the same number; another period, type or line another one', async () => {
  const { id: userId } = await makeUser(harness);
  const idOf = async (more: Partial<StatementTerms> = {}) =>
    /<MsgId>(.*?)<\/MsgId>/.exec((await make(userId, 'camt053', more)).toString())![1]!;
  const first = await idOf();
  assert.match(first, /^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  assert.equal(await idOf({ order: 'newest', language: 'pt' }), first);
  const others = [first, await idOf({ endAt: undefined }), await idOf({ startAt: undefined })];
  const line = toLine(userId, { asset: assets[0], kind: 'buy', amount: 5n, hour: 0, text: 'Funds' });
  await postBatch(ctx(), { key: randomUUID(), lines: [line] });
  assert.equal(new Set([...others, await idOf()]).size, 4);
});
