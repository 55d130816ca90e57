import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Db } from '#platform/db/db';
import type { Posting } from '../../src/features/ledger/lines/line.ts';
import { type BatchLine, postBatch } from '../../src/features/ledger/post-batch.ts';
import { postLines } from '../../src/features/ledger/post-lines.ts';
import { insertWithdrawal } from '../../src/features/withdrawals/queries/creations.ts';
import { measureRate, measureRounds, median, printRounds } from '../measure.ts';
import { operatorContext } from '../withdrawals/world.ts';
import { firstDay, lastDay } from './seed.ts';
import type { HistoryWorld } from './world.ts';

const batchLines = 10_000;
const rounds = 7;
const roundMs = 500;

/** Lines by the ten thousand, and one at a time. */
export async function measurePosting(world: HistoryWorld): Promise<void> {
  await measureBatches(world);
  const bare = await createBareTable(world);
  const most = { posts: 0, rows: 0 };
  for (const concurrency of [10, 32, 1]) {
    const { post, limit } = await measureSingles(world, bare, concurrency);
    most.posts = Math.max(most.posts, median(post));
    most.rows = Math.max(most.rows, median(limit));
  }
  const { posts, rows } = most;
  console.log(
    `ledger.post of one line / insert one bare row, the most of each, however many call (goal: at least 0.5): ${(posts / rows).toFixed(2)} (${Math.round(posts)}/s against ${Math.round(rows)}/s)`,
  );
  await measureLate(world);
  await measureNoteOfWithdrawals(world);
}

const pick = <T>(some: readonly T[]) => some[Math.floor(Math.random() * some.length)]!;

async function measureBatches(world: HistoryWorld): Promise<void> {
  const { smallUsers, bigUser } = world;
  const variants: Record<string, readonly string[]> = {
    'one user': smallUsers.slice(0, 1),
    [`${smallUsers.length} users`]: smallUsers,
    'the user with three million lines': [bigUser],
  };
  for (const [name, users] of Object.entries(variants)) {
    const batch = () => {
      const lines = Array.from({ length: batchLines }, (_, n) => lineOf(users[n % users.length]!, n));
      return { key: randomUUID(), lines };
    };
    const perSecond =
      (work: (batch: { key: string; lines: BatchLine[] }) => Promise<unknown>) => async () => {
        const given = batch();
        const startedAt = performance.now();
        await work(given);
        return (batchLines * 1000) / (performance.now() - startedAt);
      };
    const rates = await measureRounds(
      {
        verb: perSecond((given) => postBatch(operatorContext(world.deps), given)),
        http: perSecond((given) => postOverHttp(world, given)),
      },
      5,
    );
    console.log(
      `post ${batchLines} lines at once for ${name}: ${Math.round(median(rates.verb))} lines/s (goal: 10000); over HTTP ${Math.round(median(rates.http))} lines/s`,
    );
  }
}

/** Mostly deposits, some of them on chain, and conversions with both legs. */
function lineOf(userId: string, n: number): BatchLine {
  const common = { userId, network: 'polygon', transactionDate: new Date().toISOString() };
  if (n % 5 === 4) {
    return {
      ...common,
      transactionType: 'swap-bridge',
      description: 'Conversion of USDT to USDC',
      assetSent: 'USDT',
      amountSent: '0.5',
      assetReceived: 'USDC',
      amountReceived: '0.49',
    };
  }
  return {
    ...common,
    transactionType: 'buy',
    description: 'Deposit of USDT on polygon',
    assetReceived: 'USDT',
    amountReceived: '12.5',
    ...(n % 2 === 0 && { transactionHash: hash(), logIndex: n % 300 }),
  };
}

const hash = () => `0x${randomBytes(32).toString('hex')}`;

async function postOverHttp({ port, operatorToken }: HistoryWorld, body: object): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/operator/ledger.post`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.arrayBuffer();
}

interface BareTable {
  lists: readonly bigint[];
  number: number;
}

/**
 * A table like that of the lines and as full of the small users' as it: into an empty one a row goes a tenth
 * faster.
 */
async function createBareTable({ db, smallUsers }: HistoryWorld): Promise<BareTable> {
  await db.query('create table bare_lines (like ledger_lines including all)');
  const rows = await db.query<{ id: bigint }>(
    'select id from ledger_lists where is_settled and user_id = any ($1) order by id',
    [smallUsers],
  );
  const lists = rows.map(({ id }) => id);
  await db.query(
    'insert into bare_lines select * from ledger_lines where list_id = any ($1) order by list_id, number',
    [lists],
  );
  await db.query('vacuum analyze bare_lines');
  await db.query('checkpoint');
  return { lists, number: 1_000_000_000 };
}

/**
 * One line by `ledger.post`, its audit row included, against one row into the bare table and nothing else;
 * and a deposit by the database's function alone.
 */
async function measureSingles(
  world: HistoryWorld,
  bare: BareTable,
  concurrency: number,
): Promise<{ post: number[]; limit: number[] }> {
  const { db, smallUsers } = world;
  const cpu = { limit: [] as number[], post: [] as number[], function: [] as number[] };
  const withCpu = (spent: number[], call: () => Promise<unknown>) => async () => {
    const before = await cpuOfBackends(db);
    let calls = 0;
    const counted = async () => {
      await call();
      calls += 1;
    };
    const rate = await measureRate(counted, roundMs, concurrency);
    if (before !== undefined) spent.push(((await cpuOfBackends(db))! - before) / calls);
    return rate;
  };
  const rates = await measureRounds(
    {
      limit: withCpu(cpu.limit, () => insertBare(db, bare)),
      post: withCpu(cpu.post, () => postOne(world)),
      function: withCpu(cpu.function, () =>
        postLines(db, new Date(), [deposit(pick(smallUsers), new Date())]),
      ),
    },
    rounds,
  );
  const whose = `insert one bare row, many users, ${concurrency} at once`;
  printRounds(`ledger.post of one line / ${whose} (goal: at least 0.5)`, rates.post, rates.limit);
  printRounds(`… the database's function alone / ${whose}`, rates.function, rates.limit);
  if (cpu.post.length > 0) {
    const [limit, ...ours] = [cpu.limit, cpu.post, cpu.function].map((spent) => median(spent).toFixed(2));
    console.log(`… CPU of the database's processes: ${ours.join(' and ')} ms against ${limit} ms`);
  }
  return rates;
}

function postOne({ deps, smallUsers }: HistoryWorld): Promise<unknown> {
  const line = { ...lineOf(pick(smallUsers), 1), transactionHash: hash(), logIndex: 7 };
  return postBatch(operatorContext(deps), { key: randomUUID(), lines: [line] });
}

function deposit(userId: string, at: Date): Posting {
  const onChain = { transactionHash: hash(), logIndex: 7 };
  const operationId = `polygon:${onChain.transactionHash}:7`;
  const description = 'Deposit of USDT on polygon';
  return {
    kind: 'deposit',
    operationId,
    description,
    onChain,
    lines: [
      {
        userId,
        operationId,
        type: 'buy',
        network: 'polygon',
        sent: null,
        received: { currency: 'USDT', amount: 1_500_000n },
        transactionAt: at,
        executedAt: at,
        description,
        purpose: 'deposit',
        userDescription: null,
        onChain,
      },
    ],
  };
}

function insertBare(db: Db, bare: BareTable): Promise<unknown> {
  bare.number += 1;
  const { operationId, description, lines } = deposit('', new Date());
  const { transactionAt, onChain, purpose } = lines[0]!;
  return db.query(
    `insert into bare_lines (list_id, number, type, transaction_at, posting_id, operation_id, unique_hash_id, received_account_id,
       received_amount, status, description, purpose, executed_at, hash)
     values ($1, $2, 'buy', $3, $2, $4, $5, $1, 1500000, 'completed', $6, $7, $3, $8)`,
    [
      pick(bare.lists),
      bare.number,
      transactionAt,
      operationId,
      `${onChain!.transactionHash}:7`,
      description,
      purpose,
      randomBytes(32),
    ],
  );
}

/**
 * Milliseconds of CPU that the processes of our connections have used; undefined where the system does not
 * tell.
 */
async function cpuOfBackends(db: Db): Promise<number | undefined> {
  const rows = await db.query<{ pid: number }>(
    "select pid from pg_stat_activity where backend_type = 'client backend'",
  );
  const files = rows.map(({ pid }) => `/proc/${pid}/stat`).filter((file) => existsSync(file));
  if (files.length === 0) return undefined;
  const ticks = files.map((file) => {
    // After the name in brackets, which may hold blanks: user and system time are the 12th and the 13th.
    const fields = readFileSync(file, 'utf8').split(') ').at(-1)!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, one) => sum + one, 0) * 10;
}

/** Into the list of three million lines: where its newest lines are, and anywhere in it. */
async function measureLate(world: HistoryWorld): Promise<void> {
  const { db, bigUser } = world;
  const anywhere = () => new Date(firstDay + Math.floor(Math.random() * (lastDay - firstDay)));
  const post = (at: () => Date) => () =>
    measureRate(() => postLines(db, new Date(), [deposit(bigUser, at())]), roundMs, 1);
  const rates = await measureRounds({ newest: post(() => new Date()), late: post(anywhere) }, rounds);
  printRounds('post one line late, anywhere among three million / as the newest', rates.late, rates.newest);
}

/** For information: what noting it as unsettled adds to the creation of a withdrawal. */
async function measureNoteOfWithdrawals(world: HistoryWorld): Promise<void> {
  const { db, deps, partnerId, key, smallUsers } = world;
  const token = deps.evm.get('polygon')!.tokens.get('USDT')!;
  const create = () =>
    insertWithdrawal(db, {
      partnerId,
      userId: pick(smallUsers),
      keyId: key.id,
      network: 'polygon',
      currency: token.symbol,
      tokenAddress: token.address,
      decimals: token.decimals,
      amount: 1_500_000n,
      toAddress: `0x${randomBytes(20).toString('hex')}`,
      recipientUserId: null,
      externalId: null,
      idempotencyKey: null,
      fingerprint: null,
      now: new Date(),
    });
  const rateWith = (state: 'enable' | 'disable') => async () => {
    await db.query(`alter table withdrawals ${state} trigger ledger_note_new_withdrawals`);
    return measureRate(create, roundMs, 10);
  };
  const rates = await measureRounds({ without: rateWith('disable'), with: rateWith('enable') }, rounds);
  printRounds(
    'for information: store a withdrawal with its unsettled record / without, 10 at once',
    rates.with,
    rates.without,
  );
}
