import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../src/sandbox/free-port.ts';
import { startCrashingDatabase } from '../chaos/database.ts';
import { createCaller } from './caller.ts';
import { type FailingReceiver, startFailingReceiver } from './failing-receiver.ts';
import { startServers } from './servers.ts';

export interface EventChaosOptions {
  folder: string;
  /** Two for each withdrawal: it is created and canceled. */
  events: number;
  kills: number;
  crashes: number;
  /** Of requests of the receivers that fail. */
  failureRate: number;
  callers: number;
  say(text: string): void;
}

export interface EventChaosOutcome {
  broken: string[];
  events: number;
  kills: number;
  crashes: number;
  requests: number;
  failures: number;
  seconds: number;
}

interface FeedEvent {
  id: string;
  type: string;
  sequence: number;
  data: { object: { id: string; bulkId: string; status: string } };
}

const speed = 600;
const drainSecondsMax = 900;

/**
 * Creates and cancels withdrawals while servers, workers and PostgreSQL are killed and receivers fail. Then
 * what happened, what the feed has and what each receiver accepted must be the same.
 */
export async function runEventChaos(options: EventChaosOptions): Promise<EventChaosOutcome> {
  const { folder, events, failureRate, callers, say } = options;
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
  const database = await startCrashingDatabase(folder);
  const receiver = await startFailingReceiver(failureRate);
  const operatorToken = `cwo_${randomBytes(24).toString('hex')}`;
  const servers = startServers([await freePort(), await freePort()], {
    databaseUrl: database.url,
    operatorToken,
    encryptionKey: randomBytes(32).toString('base64'),
    clock: { base: Date.now(), speed },
  });
  const call = createCaller(servers.ports);
  const operator = async (name: string, body: object) => {
    const reply = await call('POST', `/operator/${name}`, operatorToken, { body });
    if (reply.status !== 200) throw new Error(`${name}: ${JSON.stringify(reply.body)}`);
    return reply.body.data;
  };
  try {
    const partner = await operator('partners.create', { name: 'Chaos' });
    const userIds: string[] = [];
    for (let n = 0; n < 8; n++) {
      const names = { givenName: 'Test', familyName: 'Person' };
      const user = await operator('users.create', { email: `${n}@example.com`, ...names });
      await operator('partners.allow-user', { partnerId: partner.id, userId: user.id });
      userIds.push(user.id);
    }
    const key = await operator('keys.issue', { name: 'chaos', partnerId: partner.id, userId: userIds[0]! });
    for (const [path, ordered] of [
      ['/parallel', false],
      ['/ordered', true],
    ] as const) {
      const url = `http://127.0.0.1:${receiver.port}${path}`;
      await operator('webhooks.create', { url, partnerId: partner.id, ordered });
    }

    const changes = new Map<string, string[]>();
    let done = 0;
    let isOver = false;
    const trouble = makeTrouble(options, {
      servers,
      database,
      progress: () => done / events,
      isOver: () => isOver,
    });
    const lane = async () => {
      while (changes.size < events / 2) {
        const name = randomUUID();
        changes.set(name, []);
        const userId = userIds[done % userIds.length]!;
        const created = await call('POST', `/api/crypto/${userId}/withdraw`, key.token, {
          body: { amount: '1', to: `0x${randomBytes(20).toString('hex')}`, externalId: name },
          headers: { 'idempotency-key': name },
        });
        if (created.status !== 200) throw new Error(JSON.stringify(created.body));
        changes.get(name)!.push('withdrawal.queued');
        done += 1;
        const canceled = await call('POST', '/operator/withdrawals.cancel', operatorToken, {
          body: { withdrawalId: idOf(created.body.data.bulkId), reason: 'Chaos' },
        });
        // A repeated request may find that the first one, whose answer was lost, has canceled it.
        if (canceled.status !== 200 && canceled.body.code !== 'already_final') {
          throw new Error(JSON.stringify(canceled.body));
        }
        changes.get(name)!.push('withdrawal.failed');
        done += 1;
        if (done % 2_000 === 0)
          say(`${seconds()} s: ${done} changes, ${servers.kills} kills, ${database.crashes} crashes`);
      }
    };
    await Promise.all(Array.from({ length: callers }, lane));
    isOver = true;
    await trouble;
    say(`${seconds()} s: all ${done} changes made; waiting for the receivers`);
    await drained(database.url, { say, seconds });
    const feed = await readFeed(call, key.token);
    return {
      broken: [
        ...compareFeed(feed, changes),
        ...compareReceived(feed, receiver),
        ...(servers.kills < options.kills ? [`only ${servers.kills} kills`] : []),
        ...(database.crashes < options.crashes ? [`only ${database.crashes} crashes`] : []),
      ],
      events: feed.length,
      kills: servers.kills,
      crashes: database.crashes,
      requests: receiver.requests,
      failures: receiver.failures,
      seconds: seconds(),
    };
  } finally {
    await servers.stop();
    await receiver.stop();
    await database.stop();
  }
}

/** A bulk id is the id with its last twelve digits complemented. */
const idOf = (bulkId: string) =>
  bulkId.slice(0, 24) +
  bulkId.slice(24).replaceAll(/./g, (digit) => (15 - Number.parseInt(digit, 16)).toString(16));

/** Kills and crashes, spread over the time that the changes take, and the rest at the end. */
async function makeTrouble(
  { kills, crashes }: EventChaosOptions,
  world: {
    servers: { kills: number; kill(): void };
    database: { crashes: number; crash(awayMs: number): Promise<void> };
    progress(): number;
    isOver(): boolean;
  },
): Promise<void> {
  const { servers, database, progress, isOver } = world;
  const isDone = () => servers.kills >= kills && database.crashes >= crashes;
  while (!isDone()) {
    const part = isOver() ? 1 : progress();
    if (servers.kills < kills * part) servers.kill();
    if (database.crashes < Math.floor(crashes * part)) await database.crash(Math.random() * 500);
    await sleep(300 + Math.random() * 900);
  }
}

/** Waits until everything has a number and has arrived. */
async function drained(
  databaseUrl: string,
  { say, seconds }: { say(text: string): void; seconds(): number },
): Promise<void> {
  const end = performance.now() + drainSecondsMax * 1_000;
  for (let round = 0; performance.now() < end; round++) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      `select (select count(*) from event_records)::integer as records,
         (select count(*) from webhook_deliveries where status = 'due')::integer as due`,
    );
    await client.end();
    const { records, due } = rows[0];
    if (records === 0 && due === 0) return;
    if (round % 20 === 0) say(`${seconds()} s: ${records} without a number, ${due} not delivered`);
    await sleep(500);
  }
}

async function readFeed(
  call: ReturnType<typeof createCaller>,
  token: string,
): Promise<(FeedEvent & { text: string })[]> {
  const feed: (FeedEvent & { text: string })[] = [];
  for (let after = 0; ; ) {
    const { body } = await call('GET', `/api/events?after=${after}&limit=1000`, token);
    for (const event of body.events) feed.push({ ...event, text: JSON.stringify(event) });
    if (body.events.length === 0) return feed;
    after = body.next;
  }
}

function compareFeed(feed: readonly FeedEvent[], changes: ReadonlyMap<string, readonly string[]>): string[] {
  const broken: string[] = [];
  for (const [at, { sequence }] of feed.entries()) {
    if (sequence !== at + 1) return [`the sequence has a gap at ${at + 1}: ${sequence}`];
  }
  const byName = Map.groupBy(feed, ({ data }) => (data.object as { externalId?: string }).externalId ?? '');
  for (const [name, types] of changes) {
    const found = (byName.get(name) ?? []).map(({ type }) => type);
    if (found.join() !== types.join()) broken.push(`${name}: the feed has ${found.join() || 'nothing'}`);
  }
  if (byName.size !== changes.size)
    broken.push(`${byName.size} withdrawals in the feed, ${changes.size} made`);
  return broken;
}

function compareReceived(
  feed: readonly (FeedEvent & { text: string })[],
  { accepted }: FailingReceiver,
): string[] {
  const broken: string[] = [];
  for (const path of ['/parallel', '/ordered']) {
    const received = accepted.get(path) ?? new Map<string, string>();
    for (const { id, text } of feed) {
      if (!received.has(id)) broken.push(`${path}: ${id} did not arrive`);
      else if (received.get(id) !== text) broken.push(`${path}: ${id} is not what the feed has`);
    }
    if (received.size !== feed.length)
      broken.push(`${path}: ${received.size} arrived, ${feed.length} in the feed`);
  }
  const last = new Map<string, number>();
  for (const body of accepted.get('/ordered')?.values() ?? []) {
    const { data, sequence } = JSON.parse(body) as FeedEvent;
    if ((last.get(data.object.id) ?? 0) > sequence) broken.push(`/ordered: ${data.object.id} is inverted`);
    last.set(data.object.id, sequence);
  }
  return broken;
}
