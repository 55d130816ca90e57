import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createPrices, noPrices, PriceFault, type Prices } from '#adapters/prices';
import { contextFor } from '#context';
import { useHarness } from '#test/harness';
import { portfolioCommands, portfolioGauges, portfolioJobs } from './index.ts';
import { refreshPrices } from './refresh-prices.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-prices-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = path.join(folder, 'prices.json');
const harness = useHarness({ pricesUrl: pathToFileURL(file).href });
const publish = (document: unknown) => writeFileSync(file, JSON.stringify(document));
const list = async () => (await harness.operator('prices.list')).body.data.items;
const priceOf = async (token: string) =>
  (await list()).find((item: { token: string }) => item.token === token);
const now = () => harness.deps.clock();

const sourceOf = (asOf: Date | undefined, prices: Record<string, bigint>): Prices => ({
  read: async () => ({ asOf, prices: new Map(Object.entries(prices)), refused: [] }),
});
const refreshFrom = (source: Prices) => refreshPrices({ ...harness.operatorContext(), prices: source });
const dollar = 10n ** 18n;

test('200 prices.refresh: exact prices, as old as the source says; what cannot be used is named', async () => {
  const asOf = new Date(now().getTime() - 90_500).toISOString();
  publish({ asOf, prices: { USDT: '0.9998', EURC: '1.083200000000000001', usdc: '1', ETH: 2650 } });
  const { status, body } = await harness.operator('prices.refresh');
  assert.equal(status, 200, body.error);
  assert.deepEqual(body.data, { read: 2, stored: 2, refused: ['usdc', 'ETH'], quotedAt: asOf });
  const [eurc, usdt, ...others] = await list();
  assert.deepEqual(others, []);
  assert.deepEqual([eurc.token, eurc.priceUsd, eurc.quotedAt], ['EURC', '1.083200000000000001', asOf]);
  assert.deepEqual([usdt.token, usdt.priceUsd], ['USDT', '0.9998']);
  assert.ok(usdt.ageSeconds >= 90 && usdt.ageSeconds < 120);
  assert.ok(now().getTime() - Date.parse(usdt.refreshedAt) < 30_000);
});

test('a later refresh never puts an older quote in the place of a newer one; one of the same instant corrects', async () => {
  const at = (ms: number) => new Date(now().getTime() - 60_000 + ms);
  const [earlier, later] = [at(0), at(1)];
  assert.equal((await refreshFrom(sourceOf(later, { SEQ: 2n * dollar }))).stored, 1);
  assert.equal((await refreshFrom(sourceOf(earlier, { SEQ: dollar, SEQ2: dollar }))).stored, 1);
  assert.equal((await priceOf('SEQ')).priceUsd, '2');
  assert.equal((await refreshFrom(sourceOf(later, { SEQ: 3n * dollar }))).stored, 1);
  assert.equal((await priceOf('SEQ')).priceUsd, '3');
});

test('a source from the future is as of now, and one that says nothing too', async () => {
  for (const asOf of [undefined, new Date(now().getTime() + 86_400_000)]) {
    const ctx = { ...harness.operatorContext(), prices: sourceOf(asOf, { FUT: dollar }) };
    assert.deepEqual((await refreshPrices(ctx)).quotedAt, ctx.now);
    assert.equal((await priceOf('FUT')).quotedAt, ctx.now.toISOString());
  }
});

test('a slow refresh that began before another one ends after it: the later one’s price is left', async () => {
  let release = () => {};
  const slow: Prices = {
    read: async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return { asOf: undefined, prices: new Map([['SLOW', dollar]]), refused: [] };
    },
  };
  const first = refreshFrom(slow);
  harness.advance(1_000);
  await refreshFrom(sourceOf(undefined, { SLOW: 2n * dollar }));
  release();
  assert.equal((await first).stored, 0);
  assert.equal((await priceOf('SLOW')).priceUsd, '2');
});

test('a quote of a clock that was far ahead is replaced, one of a clock a little ahead is not', async () => {
  const insert = (token: string, aheadMs: number) =>
    harness.deps.db.query(
      'insert into prices (token, price, quoted_at, refreshed_at) values ($1, 9, $2, $2)',
      [token, new Date(now().getTime() + aheadMs)],
    );
  await insert('FAR', 86_400_000);
  await insert('NEAR', 60_000);
  assert.equal((await refreshFrom(sourceOf(undefined, { FAR: dollar, NEAR: dollar }))).stored, 1);
  assert.deepEqual([(await priceOf('FAR')).priceUsd, (await priceOf('NEAR')).priceUsd], ['1', '9']);
});

test('refreshes at once of many prices end, and leave the latest', async () => {
  const tokens = Array.from({ length: 300 }, (_, n) => `M${n}`);
  const base = now().getTime() - 10_000;
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => {
      const inOtherOrder = n % 2 ? tokens : tokens.toReversed();
      const prices = Object.fromEntries(inOtherOrder.map((token) => [token, BigInt(n + 1) * dollar]));
      return refreshFrom(sourceOf(new Date(base + n), prices));
    }),
  );
  const rows = await harness.deps.db.query(`select distinct price::text from prices where token like 'M%'`);
  assert.deepEqual(rows, [{ price: '8.000000000000000000' }]);
});

test('prices.list gives every price once, in order, page by page', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await harness.operator('prices.list', { limit: 7, cursor });
    seen.push(...body.data.items.map(({ token }: { token: string }) => token));
    cursor = body.data.nextCursor ?? undefined;
  } while (cursor);
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(seen, seen.toSorted());
  const [row] = await harness.deps.db.query('select count(*)::integer as count from prices');
  assert.equal(seen.length, row!.count);
});

test('503 prices.refresh: the source cannot be read; what is known is kept', async () => {
  const before = await list();
  writeFileSync(file, '{"prices":');
  const { status, body } = await harness.operator('prices.refresh');
  assert.deepEqual([status, body.error], [503, 'The price source cannot be used: Body is not valid JSON.']);
  rmSync(file);
  assert.equal((await harness.operator('prices.refresh')).status, 503);
  const stripAge = (items: { ageSeconds: number }[]) => items.map(({ ageSeconds, ...rest }) => rest);
  assert.deepEqual(stripAge(await list()), stripAge(before));
});

const [job] = portfolioJobs;
/** The lines that a run of the job logs. */
async function runJob(prices: Prices): Promise<string[]> {
  const lines: string[] = [];
  const note = (level: string) => (fields: { trouble?: string } | string) =>
    void lines.push(`${level} ${typeof fields === 'string' ? fields : fields.trouble}`);
  const log = { ...harness.deps.log, warn: note('warn'), info: note('info') } as never;
  await job!.run({ ...harness.deps, prices, log });
  return lines;
}

test('the job refreshes every minute, and says once what is wrong and once that it is right again', async () => {
  assert.deepEqual([portfolioJobs.length, job!.name, job!.everyMs], [1, 'prices.refresh', 60_000]);
  let read: Prices['read'] = sourceOf(undefined, { JOB: dollar }).read;
  const source: Prices = { read: () => read() };
  assert.deepEqual(await runJob(source), []);
  assert.equal((await priceOf('JOB')).priceUsd, '1');

  read = () => Promise.reject(new PriceFault('The price source answered with status 500.'));
  assert.deepEqual(await runJob(source), ['warn The price source answered with status 500.']);
  assert.deepEqual(await runJob(source), []);
  assert.equal((await priceOf('JOB')).priceUsd, '1');

  read = async () => ({ asOf: undefined, prices: new Map([['JOB', 2n * dollar]]), refused: ['job'] });
  assert.deepEqual(await runJob(source), ['warn Not used: job.']);
  assert.equal((await priceOf('JOB')).priceUsd, '2');
  read = sourceOf(undefined, {}).read;
  assert.deepEqual(await runJob(source), ['info all prices are refreshed again']);
  assert.equal(job!.isConfigured!({ ...harness.deps, prices: noPrices }), false);
});

test('the job stands a source that hangs, is huge, has garbage, redirects or fails, and keeps what is known', async () => {
  await refreshFrom(sourceOf(undefined, { KEPT: dollar }));
  let respond: (response: ServerResponse) => void = () => {};
  const server = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.on('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const handler of [
    (response) => void response.writeHead(500).end('{"prices":{"KEPT":"7"}}'),
    (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
    (response) => void response.end('{"prices":{"KEPT":7}}'),
    (response) => void response.end('<html></html>'),
    (response) => void response.end(`{"prices":{"KEPT":"7"}}${' '.repeat(300_000)}`),
    (response) => void response.write('{"prices":{"KEPT":"7"}'),
  ] as (typeof respond)[]) {
    respond = handler;
    assert.equal((await runJob(createPrices(url))).length, 1);
    assert.equal((await priceOf('KEPT')).priceUsd, '1');
  }
  server.close();
  server.closeAllConnections();
});

test('409 prices.refresh: there is no price source', async () => {
  const ctx = contextFor(
    { ...harness.deps, prices: noPrices },
    { kind: 'operator', name: 't', role: 'admin' },
    harness.deps.log,
  );
  const refresh = portfolioCommands.find(({ name }) => name === 'prices.refresh')!;
  await assert.rejects(refresh.run(ctx, {} as never), { status: 409, code: 'no_price_source' });
});

test('gauges: the age of the oldest price and of the last refresh; nothing without a source or prices', async () => {
  const read = async (prices: Prices) =>
    Promise.all(
      portfolioGauges.map(async (gauge) => (await gauge.read({ ...harness.deps, prices }))[0]?.value),
    );
  await harness.deps.db.query('delete from prices');
  assert.deepEqual(await read(harness.deps.prices), [undefined, undefined]);
  await refreshFrom(sourceOf(new Date(now().getTime() - 100_000), { OLD: dollar }));
  harness.advance(10_000);
  const [oldest, refreshed] = await read(harness.deps.prices);
  assert.ok(oldest! >= 110 && oldest! < 130, `${oldest}`);
  assert.ok(refreshed! >= 10 && refreshed! < 30, `${refreshed}`);
  assert.deepEqual(await read(noPrices), [undefined, undefined]);
  const { body } = await harness.request('GET', '/metrics');
  assert.match(body, /^causeway_prices_oldest_age_seconds \d/m);
  assert.match(body, /^causeway_prices_refreshed_age_seconds \d/m);
});

test('200 prices.forget: the token has no price until the source lists it again; 404 without one', async () => {
  await refreshFrom(sourceOf(now(), { GONE: 3n * dollar }));
  const { status, body } = await harness.operator('prices.forget', { token: 'GONE' });
  assert.deepEqual([status, body.data.token, body.data.priceUsd], [200, 'GONE', '3']);
  assert.equal(await priceOf('GONE'), undefined);
  const again = await harness.operator('prices.forget', { token: 'GONE' });
  assert.deepEqual([again.status, again.body.error], [404, 'No price of this token is stored']);
  const earlier = new Date(now().getTime() - 60_000);
  await refreshFrom(sourceOf(earlier, { GONE: 2n * dollar }));
  assert.equal((await priceOf('GONE')).priceUsd, '2');
});
