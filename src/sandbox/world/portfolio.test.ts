import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { createPrices, noPrices } from '#adapters/prices';
import { contextFor, type KeyActor } from '#context';
import { portfolioTools } from '#features/portfolio';
import { useHarness } from '#test/harness';
import { writePricesFile } from '../prices-file.ts';
import { createPeople, demoUsers } from './people.ts';
import { recordPortfolio } from './portfolio.ts';

const harness = useHarness();
const home = mkdtempSync(path.join(tmpdir(), 'causeway home '));
after(() => rmSync(home, { recursive: true, force: true }));
const { id: userId } = demoUsers.owner;

const start = (prices = createPrices(writePricesFile(home))) =>
  recordPortfolio({ ...harness.operatorContext(), prices });
const show = async () => (await harness.operator('positions.show', { userId })).body.data;

// biome-ignore lint/suspicious/noExplicitAny: the tool's own test checks the payload.
async function readBalance(ofUser = userId): Promise<any> {
  const [tool] = portfolioTools({ balanceStaleAfterMs: 3_600_000 });
  const actor: KeyActor = { kind: 'key', keyId: 'k', partnerId: 'p', userId: ofUser, scopes: ['mcp'] };
  return tool!.run(contextFor(harness.deps, actor, harness.deps.log), {} as never);
}

test('a price source that is away does not keep the sandbox from starting', async () => {
  await createPeople(harness.operatorContext());
  await start(noPrices);
  assert.equal((await readBalance()).isStale, true);
});

test('from the first start on, something is staked, something tokenized with a gain, and all of it has a fresh price', async () => {
  await start();
  const { isStale, unpricedTokens, stakedUsdValue, tokenizedAssetsPnl } = await readBalance();
  assert.deepEqual([isStale, unpricedTokens], [false, []]);
  assert.deepEqual([stakedUsdValue, tokenizedAssetsPnl], ['3312.81', '151.28']);
});

test('the company’s positions are stale, and one of its tokens has no price', async () => {
  const { isStale, unpricedTokens } = await readBalance(demoUsers.business.id);
  assert.deepEqual([isStale, unpricedTokens], [true, ['MVRD']]);
});

test('a later start, days after, makes positions fresh again and takes the prices that somebody wrote', async () => {
  harness.advance(3 * 86_400_000);
  assert.equal((await readBalance()).isStale, true);
  const file = path.join(home, 'prices.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('2650.25', '3000'));
  await start();
  const { isStale, stakedUsdValue } = await readBalance();
  assert.deepEqual([isStale, stakedUsdValue], [false, '3750.00']);
});

test('a start with a clock that was set back leaves positions as they are', async () => {
  const before = await show();
  harness.advance(-86_400_000);
  await start();
  harness.advance(86_400_000);
  assert.deepEqual(await show(), before);
});

test('what somebody recorded in place of the demo’s is left as it is', async () => {
  await harness.operator('positions.record', { userId, positions: [] });
  const before = await show();
  harness.advance(60_000);
  await start();
  assert.deepEqual(await show(), before);
});
