import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type DepositFields, makeAddress, makeDeposit, makeLines, makeUser } from '#test/data/factories';
import { countRowsRead } from '#test/database/rows-read';
import { useHarness } from '#test/harness';
import { type ListDeposits, listDeposits } from './list-deposits.ts';

const harness = useHarness();
const start = Date.parse('2026-03-01T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000);

interface Listed {
  transactionHash: string;
  logIndex: number;
  creditedBy: string;
  at: string | null;
  lineKey: string | null;
  postingId: string | null;
  confirmations: number;
  amount: string;
}

async function list(input: object): Promise<{ items: Listed[]; nextCursor: string | null }> {
  const { status, body } = await harness.operator('deposits.list', input);
  assert.equal(status, 200, body.error);
  return body.data;
}

const hashesOf = async (input: object) =>
  (await list({ limit: 200, ...input })).items.map(({ transactionHash }) => transactionHash);

describe('a few deposits on two networks', () => {
  const made: Awaited<ReturnType<typeof makeDeposit>>[] = [];
  before(async () => {
    const users = [await makeUser(harness), await makeUser(harness)];
    const plan: DepositFields[] = [
      { blockNumber: 100, at: at(0) },
      { network: 'base', blockNumber: 9_000, at: at(1), currency: 'EURC' },
      { blockNumber: 101, at: at(2), logIndex: 1 },
      { blockNumber: 101, at: at(2), logIndex: 4 },
      { network: 'base', blockNumber: 9_001, at: at(3), currency: 'USDC' },
      { blockNumber: 250, at: at(60 * 24) },
    ];
    for (const [n, fields] of plan.entries()) made.push(await makeDeposit(harness, users[n % 2]!.id, fields));
  });
  const newestFirst = () => made.map(({ transactionHash }) => transactionHash).reverse();

  test('200 newest first, by time across networks, and every page size gives the same list', async () => {
    assert.deepEqual(await hashesOf({}), newestFirst());
    for (const limit of [1, 2, 3, 5]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ limit, ...(cursor && { cursor }) });
        found.push(...page.items.map(({ transactionHash }) => transactionHash));
        cursor = page.nextCursor ?? undefined;
      } while (cursor);
      assert.deepEqual(found, newestFirst(), `pages of ${limit}`);
    }
  });

  test('200 each filter, alone and with a user, keeps the order', async () => {
    const all = [...made].reverse();
    const [first] = made;
    const expect = async (input: object, isWanted: (one: (typeof made)[number]) => boolean) => {
      const wanted = all.filter(isWanted).map(({ transactionHash }) => transactionHash);
      assert.deepEqual(await hashesOf(input), wanted, JSON.stringify(input));
    };
    await expect({ network: 'base' }, ({ network }) => network === 'base');
    await expect({ currency: 'EURC' }, ({ currency }) => currency === 'EURC');
    const { userId, transactionHash } = first!;
    await expect({ userId: userId.toUpperCase() }, (one) => one.userId === userId);
    await expect({ userId, currency: 'USDT' }, (one) => one.userId === userId && one.currency === 'USDT');
    const hash = `0x${transactionHash.slice(2).toUpperCase()}`;
    await expect({ transactionHash: hash }, (one) => one.transactionHash === transactionHash);
    await expect({ startDate: at(2).toISOString() }, (one) => one.at >= at(2));
    await expect({ endDate: at(2).toISOString() }, (one) => one.at <= at(2));
    await expect({ startDate: '2026-03-01', endDate: '2026-03-01' }, (one) => one.at < at(24 * 60));
    await expect({ startDate: '2027' }, () => false);
    await expect({ endDate: '2025' }, () => false);
    await expect({ userId, endDate: at(2).toISOString() }, (one) => one.userId === userId && one.at <= at(2));
  });

  test('200 a deposit has its line, its age in blocks and who credited it', async () => {
    const [one] = (await list({ transactionHash: made[0]!.transactionHash })).items;
    assert.deepEqual(
      [one!.creditedBy, one!.at, one!.lineKey, one!.confirmations, one!.amount],
      ['watcher', at(0).toISOString(), `${made[0]!.transactionHash}:2`, 151, '7.5'],
    );
  });

  test('400 a period that ends before it starts', async () => {
    const { status, body } = await harness.operator('deposits.list', { startDate: '2026', endDate: '2025' });
    assert.deepEqual([status, body.error], [400, 'startDate must not be after endDate']);
  });
});

test('200 a transfer that an operator had posted before: to the user, or to another one', async () => {
  const [user, other] = [await makeUser(harness), await makeUser(harness)];
  const transactionHash = `0x${'ab'.repeat(32)}`;
  await makeLines(harness, user.id, [
    { assetReceived: 'USDT', amountReceived: '1', transactionHash, logIndex: 2, description: 'By hand' },
  ]);
  await makeDeposit(harness, user.id, { transactionHash, at: at(5), blockNumber: 90 });
  const [own] = (await list({ transactionHash })).items;
  assert.deepEqual([own!.creditedBy, own!.lineKey], ['operator', `${transactionHash}:2`]);
  const elsewhere = `0x${'cd'.repeat(32)}`;
  await makeLines(harness, other.id, [
    { assetReceived: 'USDT', amountReceived: '1', transactionHash: elsewhere, logIndex: 2 },
  ]);
  await makeDeposit(harness, user.id, { transactionHash: elsewhere, at: at(5), blockNumber: 91 });
  const [lost] = (await list({ transactionHash: elsewhere })).items;
  assert.deepEqual([lost!.creditedBy, lost!.postingId], ['another user', null]);
});

describe('rows read for a page, with 20,000 deposits of one user', () => {
  let [rare, common] = ['', ''];
  before(async () => {
    [rare, common] = [(await makeUser(harness)).id, (await makeUser(harness)).id];
    const { transactionHash: _hash, ...old } = await makeDeposit(harness, rare, {
      network: 'ethereum',
      blockNumber: 5,
      currency: 'EURC',
      at: at(0),
    });
    assert.equal(old.network, 'ethereum');
    await harness.deps.db.query(
      `insert into deposits (network, transaction_hash, log_index, block_number, user_id, wallet, currency, amount)
       select 'ethereum', '0x' || lpad(to_hex(n), 64, '0'), 0, 1000 + n / 2, $1, $2, 'USDT', 1 from generate_series(1, 20000) n`,
      [common, makeAddress()],
    );
    await harness.deps.db.query(
      `insert into ledger_postings (kind, operation_id, description, posted_at)
       select 'deposit', network || ':' || transaction_hash || ':' || log_index, 'Bulk', $1::timestamptz + block_number * interval '1 minute'
       from deposits where user_id = $2`,
      [at(0), common],
    );
    await makeDeposit(harness, common, { network: 'ethereum', blockNumber: 50_000, at: at(60 * 24 * 30) });
    await harness.deps.db.query('analyze');
  });
  const filters: Record<string, () => ListDeposits> = {
    'no filter': () => ({}),
    'a user long ago': () => ({ userId: rare }),
    'a user with all': () => ({ userId: common }),
    'a currency long ago': () => ({ currency: 'EURC' }),
    'a network and a currency': () => ({ network: 'ethereum', currency: 'EURC' }),
    'a network without any': () => ({ network: 'unknown' }),
    'an unknown hash': () => ({ transactionHash: `0x${'00'.repeat(32)}` }),
    'a period long ago': () => ({ endDate: '2026-03-01' }),
  };
  for (const [what, input] of Object.entries(filters)) {
    test(what, async () => {
      const rows = await countRowsRead(harness.deps.db, (db) =>
        listDeposits({ ...harness.operatorContext(), db }, { limit: 20, ...input() }),
      );
      assert.ok(rows < 900, `${rows} rows`);
    });
  }
});
