import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { addressOfKey, type NetworkSettings, type TokenSymbol } from '#adapters/evm';
import { contextFor, type Deps } from '#context';
import type { Db } from '#platform/db/db';
import { createLog } from '#platform/observe/log';
import { makeAddress, makeFunds, makeKey, makeUser } from '#test/data/factories';
import { checkBooks, rightBooks } from '#test/database/check-books';
import { setStandbys } from '#test/database/set-standbys';
import { type Answer, cloneDatabase, type Harness, keepLine, testConfig } from '#test/harness';
import { type Chain, makeWallet, type Payment } from '#test/outside/chain';
import { buildApp } from '../../src/app.ts';
import { bindRepeated } from '../../src/features/payouts/bind-repeated.ts';
import { broadcast } from '../../src/features/payouts/broadcast.ts';
import { bumpStuck } from '../../src/features/payouts/bump.ts';
import { fillNonces } from '../../src/features/payouts/fill/fill-nonces.ts';
import { holdQueued } from '../../src/features/payouts/hold-queued.ts';
import { createLanes, type Lane, type WorkerCtx } from '../../src/features/payouts/lane.ts';
import { recheckFinal } from '../../src/features/payouts/recheck-final.ts';
import { settleFinal } from '../../src/features/payouts/settle.ts';
import { signPending } from '../../src/features/payouts/sign-pending.ts';
import { listAssets } from '../../src/features/withdrawals/assets.ts';
import { createWithdrawal } from '../../src/features/withdrawals/create-withdrawal.ts';
import { createDeps } from '../../src/main.ts';

export type LogLine = Record<string, unknown> & { level: string; msg: string };

/**
 * One process that pays, driven turn by turn; its clock can be moved. Its own steps are of its first wallet.
 */
export interface Worker extends LaneSteps {
  deps: Deps;
  /** What it has logged. */
  lines: LogLine[];
  /** One for each of its wallets. */
  lanes: LaneSteps[];
  advance(ms: number): void;
}

/** The steps of a payout for one wallet. */
export interface LaneSteps {
  lane: Lane;
  /** Binds withdrawals to payments that were found on chain. */
  bind(): Promise<number>;
  hold(): Promise<number>;
  sign(): Promise<number>;
  send(): Promise<number>;
  bump(): Promise<number>;
  /** Uses up nonces of transactions that may be lost. */
  fill(): Promise<void>;
  settle(): Promise<number>;
  recheck(): Promise<number>;
}

export interface WorkerOptions extends Partial<NetworkSettings> {
  databaseUrl?: string;
  screeningUrl?: string;
  isReplicationSynchronous?: boolean;
  deploymentId?: string;
  /** Default: a minute. */
  databaseLockTimeoutMs?: number;
}

export interface Wanted {
  userId?: string;
  currency?: TokenSymbol;
  amount?: string;
  to?: string;
  idempotencyKey?: string;
}

/** The stored state of a withdrawal. */
export interface Stored extends Record<string, unknown> {
  status: string;
  transferStatus: string | null;
  transactionHash: string | null;
  errorMessage: string | null;
  waitingFor: string | null;
  toAddress: string;
  amount: bigint;
  currency: TokenSymbol;
}

/** A separate database, hot wallet and worker for one test, on a chain that the tests of a file share. */
export interface World {
  chain: Chain;
  databaseUrl: string;
  settings: NetworkSettings;
  /** The first hot wallet. */
  wallet: string;
  /** All of them. */
  wallets: string[];
  /** Has 1,000 of each token. */
  userId: string;
  worker: Worker;
  db: Db;
  harness: Harness;
  makeWorker(options?: WorkerOptions): Worker;
  /** Creates a queued withdrawal and returns its id. */
  withdraw(wanted?: Wanted): Promise<string>;
  /** The same, with the whole answer. */
  request(wanted?: Wanted): Promise<{ id: string; bulkId: string; isReplay: boolean }>;
  read(id: string): Promise<Stored>;
  /** Bind, hold, sign, send, two blocks on top, settle. */
  pay(): Promise<void>;
  /** Transfers out of the hot wallets on the canonical chain. */
  paid(): Promise<Payment[]>;
  funds(currency?: TokenSymbol, userId?: string): Promise<{ balance: bigint; held: bigint }>;
  attempts(id: string): Promise<{ hash: string; raw: Buffer; fee: bigint; tip: bigint; sends: number }[]>;
  /** Paid exactly once on chain, in the database, and in the ledger. */
  expectPaid(...ids: string[]): Promise<void>;
  /** Failed, not on chain, nothing held. */
  expectFailed(id: string, errorMessage: string | RegExp): Promise<void>;
  /** The body is what the command returned, or the error. */
  operator(command: string, input?: unknown): Promise<Pick<Answer, 'status' | 'body'>>;
  metrics(): Promise<string>;
}

export const unit = 1_000_000n;

export async function makeWorld(
  t: TestContext,
  chain: Chain,
  { walletHas, ...options }: WorkerOptions & { walletHas?: bigint } = {},
): Promise<World> {
  const databaseUrl = options.databaseUrl ?? (await cloneDatabase());
  const signerKeys = options.signerKeys ?? [await makeWallet(chain, walletHas)];
  const settings: NetworkSettings = { ...chain.settings, ...options, signerKeys };
  const { network } = settings;
  const wallets = signerKeys.map((key) => addressOfKey(key).toLowerCase());
  const wallet = wallets[0]!;
  const makeWorker = (more: WorkerOptions = {}) =>
    startWorker(t, chain, {
      ...settings,
      databaseUrl,
      ...(options.screeningUrl && { screeningUrl: options.screeningUrl }),
      ...(options.isReplicationSynchronous && { isReplicationSynchronous: true }),
      ...(options.databaseLockTimeoutMs && { databaseLockTimeoutMs: options.databaseLockTimeoutMs }),
      ...more,
    });
  const worker = makeWorker();
  const { deps } = worker;
  const { db } = deps;
  if (options.isReplicationSynchronous) await setStandbys(db, 'ANY 1 (*)');
  const config = testConfig(databaseUrl, { networks: [settings] });
  let building: ReturnType<typeof buildApp> | undefined;
  /** Most tests ask it nothing. */
  const useServer = () => {
    building ??= buildApp(deps, { ...config, servesApi: true });
    return building;
  };
  t.after(async () => (await building)?.close());
  const operatorToken = config.operatorTokens.get('tester')!.token;
  const harness = {
    databaseUrl,
    deps,
    operatorContext: () => contextFor(deps, { kind: 'operator', name: 'tester', role: 'admin' }, deps.log),
  } as Harness;
  const isNew = options.databaseUrl === undefined;
  const key = isNew ? await makeKey(harness) : await firstKey(db);
  const { userId } = key;
  if (isNew)
    for (const { symbol } of settings.tokens) await makeFunds(harness, userId, network, symbol, '1000');

  const read = async (id: string) => {
    const [row] = await db.query<Stored>(
      `select status, transfer_status as "transferStatus", transaction_hash as "transactionHash", amount, currency,
         error_message as "errorMessage", waiting_for as "waitingFor", to_address as "toAddress"
       from withdrawals where id = $1`,
      [id],
    );
    return row!;
  };
  const request: World['request'] = async (wanted = {}) => {
    const { userId: ofUser = userId, currency = 'USDC', amount = '1', to = makeAddress() } = wanted;
    const asset = listAssets(deps.evm, []).find(({ token }) => token.symbol === currency)!;
    const actor = { kind: 'key', keyId: key.id, partnerId: key.partnerId, userId, scopes: [] } as const;
    const decimals = amount.split('.')[1] ?? '';
    const created = await createWithdrawal(contextFor(deps, actor, deps.log), {
      userId: ofUser,
      asset,
      to,
      externalId: undefined,
      idempotencyKey: wanted.idempotencyKey,
      amount: BigInt(amount.replace('.', '') + '0'.repeat(6 - decimals.length)),
    });
    const [row] = await db.query<{ id: string }>('select id from withdrawals where bulk_id = $1', [
      created.bulkId,
    ]);
    return { id: row!.id, ...created };
  };
  const paid = async () => (await Promise.all(wallets.map((each) => chain.paidOut(each)))).flat();
  const funds: World['funds'] = async (currency = 'USDC', ofUser = userId) => {
    const [row] = await db.query<{ balance: bigint; held: bigint }>(
      'select balance, held from ledger_accounts where user_id = $1 and network = $2 and currency = $3',
      [ofUser, network, currency],
    );
    return row ?? { balance: 0n, held: 0n };
  };
  const expectBooks = async () => assert.deepEqual(await checkBooks(db), rightBooks);

  return {
    chain,
    databaseUrl,
    settings,
    wallet,
    wallets,
    userId,
    worker,
    db,
    harness,
    makeWorker,
    read,
    paid,
    funds,
    request,
    withdraw: async (wanted) => (await request(wanted)).id,
    async pay() {
      await worker.bind();
      await worker.hold();
      for (const lane of worker.lanes) await lane.sign();
      for (const lane of worker.lanes) await lane.send();
      await chain.mine(2);
      for (const lane of worker.lanes) await lane.settle();
    },
    attempts: (id) =>
      db.query(
        `select a.hash, a.raw, a.max_fee_per_gas as fee, a.max_priority_fee_per_gas as tip, a.sends from payout_slots s
         join payout_attempts a using (network, address, nonce) where s.withdrawal_id = $1 order by a.max_fee_per_gas`,
        [id],
      ),
    async expectPaid(...ids) {
      const transfers = await paid();
      for (const id of ids) {
        const row = await read(id);
        assert.deepEqual(
          { status: row.status, transfer: row.transferStatus, error: row.errorMessage },
          { status: 'completed', transfer: 'confirmed', error: null },
        );
        const ours = transfers.filter(({ to }) => to === row.toAddress);
        assert.equal(ours.length, 1, `paid ${ours.length} times`);
        const { amount, hash, logIndex, token } = ours[0]!;
        assert.equal(amount, row.amount);
        assert.equal(hash, row.transactionHash);
        assert.equal(token, settings.tokens.find(({ symbol }) => symbol === row.currency)!.address);
        const postings = await db.query(
          `select transaction_hash as hash, log_index as "logIndex", (select count(*)::int from ledger_entries e
             where e.posting_id = p.id) as lines from ledger_postings p where kind = 'withdrawal' and operation_id = $1`,
          [id],
        );
        assert.deepEqual(postings, [{ hash, logIndex, lines: 2 }]);
      }
      await expectBooks();
    },
    async expectFailed(id, errorMessage) {
      const row = await read(id);
      assert.equal(row.status, 'failed');
      if (typeof errorMessage === 'string') assert.equal(row.errorMessage, errorMessage);
      else assert.match(row.errorMessage!, errorMessage);
      assert.deepEqual(
        (await paid()).filter(({ to }) => to === row.toAddress),
        [],
      );
      assert.deepEqual(
        await db.query(`select 1 from ledger_postings where kind = 'withdrawal' and operation_id = $1`, [id]),
        [],
      );
      await expectBooks();
    },
    async operator(command, input = {}) {
      const server = await useServer();
      const answer = await server.inject({
        method: 'POST',
        url: `/operator/${command}`,
        headers: { authorization: `Bearer ${operatorToken}` },
        payload: input as object,
      });
      const body = answer.json();
      return { status: answer.statusCode, body: body.data ?? body };
    },
    metrics: async () => (await (await useServer()).inject({ method: 'GET', url: '/metrics' })).body,
  };
}

/** In a database that already has data. */
async function firstKey(db: Db) {
  const [key] = await db.query<{ id: string; partnerId: string; userId: string }>(
    'select id, partner_id as "partnerId", user_id as "userId" from api_keys order by created_at limit 1',
  );
  return key!;
}

function startWorker(
  t: TestContext,
  chain: Chain,
  options: WorkerOptions & NetworkSettings & { databaseUrl: string },
): Worker {
  const { databaseUrl, screeningUrl, isReplicationSynchronous = false, ...others } = options;
  const { databaseLockTimeoutMs, deploymentId, ...settings } = others;
  const lines: LogLine[] = [];
  const log = createLog({
    level: 'debug',
    destination: {
      write(line) {
        keepLine(line);
        lines.push(JSON.parse(line));
      },
    },
  });
  let offsetMs = 0;
  const config = testConfig(databaseUrl, {
    networks: [settings],
    ...(screeningUrl && { screeningUrl }),
    ...(databaseLockTimeoutMs && { databaseLockTimeoutMs }),
    ...(deploymentId && { deploymentId }),
  });
  const clock = () => new Date(Date.now() + offsetMs);
  const deps: Deps = { ...createDeps(config, log), clock, isReplicationSynchronous };
  t.after(() => deps.db.end());
  const ctx = () => contextFor(deps, { kind: 'worker', job: 'test' } as const, log);
  const lanes = createLanes(deps.evm.get(settings.network)!).map((lane) => stepsOf(chain, lane, ctx));
  return {
    ...lanes[0]!,
    deps,
    lanes,
    lines,
    advance: (ms) => {
      offsetMs += ms;
    },
  };
}

function stepsOf(chain: Chain, lane: Lane, ctx: () => WorkerCtx): LaneSteps {
  return {
    lane,
    bind: () => bindRepeated(ctx(), lane),
    hold: () => holdQueued(ctx(), lane),
    sign: () => signPending(ctx(), lane),
    send: async () => {
      const sent = await broadcast(ctx(), lane);
      await untilTaken(chain);
      return sent;
    },
    bump: () => bumpStuck(ctx(), lane),
    fill: async () => {
      await fillNonces(ctx(), lane);
      await untilTaken(chain);
    },
    settle: () => settleFinal(ctx(), lane),
    recheck: () => recheckFinal(ctx(), lane),
  };
}

/**
 * The node mines what it has accepted automatically, but only a moment later; not if mining is off, nor for
 * fees that are too low.
 */
async function untilTaken(chain: Chain): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(5)) {
    if (!(await chain.call<boolean>('hardhat_getAutomine'))) return;
    if (Number((await chain.call<{ pending: string }>('txpool_status')).pending) === 0) return;
  }
}

/** As if the claim on every pending withdrawal, and the wait to resend every transaction, were over. */
export async function letTimePass({ db }: World): Promise<void> {
  await db.query(
    `update withdrawals set checked_at = checked_at - interval '1 hour' where status = 'pending'`,
  );
  await db.query(`update payout_attempts set sent_at = sent_at - interval '1 hour'`);
}

/** A copy of the database as it is now. */
export async function backUp({ databaseUrl }: World): Promise<string> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const admin = new pg.Client({ connectionString: process.env.CAUSEWAY_TEST_POSTGRES! });
  await admin.connect();
  try {
    for (let attempt = 0; ; attempt++) {
      // PostgreSQL copies a database only while no session uses it.
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      try {
        return await cloneDatabase(name);
      } catch (error) {
        if (attempt > 20) throw error;
      }
    }
  } finally {
    await admin.end();
  }
}

export interface Call {
  method: string;
  params: unknown[];
}

export type Meddle = (call: Call, forward: () => Promise<unknown>) => unknown;

export interface NodeProxy {
  url: string;
  /** Number of calls of each method. */
  counts: Map<string, number>;
  /** Answers instead of the node: a result, or an Error to refuse with. `cut` breaks the connection. */
  meddle: Meddle | undefined;
  /** Answers a whole request without calling the node. */
  respond: ((response: ServerResponse) => void) | undefined;
}

export const cut = Symbol('cut');

/** A proxy between a worker and the node. */
export async function startProxy(t: TestContext, target: string): Promise<NodeProxy> {
  const counts = new Map<string, number>();
  const proxy: NodeProxy = { url: '', counts, meddle: undefined, respond: undefined };
  const answerOne = async ({ id, method, params }: Call & { id: number }) => {
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const forward = async () => {
      const response = await fetch(target, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
      return error ? new Error(error.message) : result;
    };
    const result = await (proxy.meddle ? proxy.meddle({ method, params }, forward) : forward());
    if (result === cut) return cut;
    if (result instanceof Error)
      return { jsonrpc: '2.0', id, error: { code: -32000, message: result.message } };
    return { jsonrpc: '2.0', id, result };
  };
  let isStopped = false;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (proxy.respond) return proxy.respond(response);
    const calls = JSON.parse(body);
    const answers = Array.isArray(calls) ? await Promise.all(calls.map(answerOne)) : await answerOne(calls);
    if (answers === cut || (Array.isArray(answers) && answers.includes(cut))) return response.destroy();
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers));
  };
  const server = createServer((request, response) =>
    answer(request, response).catch((error) => {
      // A call may be on its way when the test ends, and the chain with it.
      if (!isStopped) throw error;
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    isStopped = true;
    server.closeAllConnections();
    server.close();
  });
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

export { makeUser };
