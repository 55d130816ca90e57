import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenSymbol } from '#adapters/evm';
import { formatMinor } from '#platform/values/money';
import { createFreezer } from './freezer.ts';
import type { Random } from './random.ts';
import type { World as AnyWorld, WorldDatabase } from './world.ts';

type World = AnyWorld<WorldDatabase>;

/** `frozen`: the token freezes the recipient after it was accepted; `over`: more than the user has. */
export type Kind = 'plain' | 'frozen' | 'over' | 'canceled';

export interface Asked {
  key: string;
  kind: Kind;
  userId: string;
  symbol: TokenSymbol;
  to: string;
  amount: bigint;
  /** Of the last answer that was 200; after a loss of commits, it may be another than before. */
  bulkId?: string;
  /** When that answer came, and when the operator got the answer that it is canceled. */
  answeredAt?: number;
  canceledAt?: number;
}

export interface Load {
  asked: Asked[];
  created: number;
  /** Answers that no outage explains. */
  faults: string[];
  /** Requests that were answered, may be lost, and were asked again under their key. */
  repeated: number;
  /** The database is about to lose commits. */
  expectLoss(): void;
  /**
   * Repeats every request that was answered since, with the same key and body: some at once, some much later.
   */
  repeatSince(at: number): void;
  /** Asks for no more, and waits until all that was asked for is answered. */
  finish(): Promise<void>;
}

export interface LoadOptions {
  world: World;
  random: Random;
  perSecond: number;
}

const kinds: Record<Kind, number> = { plain: 90, frozen: 5, over: 2, canceled: 3 };
const burstEveryMs = 250;
const answerWithinMs = 5_000;
const patienceMs = 120_000;
/** While the database is away, more would only keep this process busy. */
const underWayMax = 30;
/** How long after a loss partners repeat: at once, while the wallet is halted, or after it was resumed. */
const repeatAfterMs: Record<'now' | 'soon' | 'late', [least: number, most: number]> = {
  now: [0, 500],
  soon: [500, 15_000],
  late: [40_000, 60_000],
};

/** A partner who asks for withdrawals without pause, and repeats each request until it is answered. */
export function startLoad({ world, random, perSecond }: LoadOptions): Load {
  const freezer = createFreezer(world);
  const underWay = new Set<Promise<void>>();
  const load: Load = { asked: [], created: 0, repeated: 0, faults: [], expectLoss, repeatSince, finish };
  const over = new AbortController();
  let isOver = false;
  let losses = 0;
  let due = 0;
  let creating = 0;
  const asking = ask();
  return load;

  async function ask(): Promise<void> {
    while (!isOver) {
      due += (perSecond * burstEveryMs) / 1_000;
      for (; due >= 1 && creating < underWayMax; due -= 1) begin();
      await sleep(burstEveryMs);
    }
  }

  async function finish(): Promise<void> {
    isOver = true;
    over.abort();
    await asking;
    await Promise.all(underWay);
    await freezer.finish();
  }

  function begin(): void {
    const one = nextOne(world, random, load.asked.length);
    load.asked.push(one);
    follow(see(one));
  }

  function follow(life: Promise<void>): void {
    const followed = life.finally(() => underWay.delete(followed));
    underWay.add(followed);
  }

  function expectLoss(): void {
    losses += 1;
  }

  function repeatSince(at: number): void {
    for (const one of load.asked) {
      if (one.canceledAt !== undefined && one.canceledAt >= at) delete one.canceledAt;
      if (one.answeredAt !== undefined && one.answeredAt >= at) follow(repeat(one));
    }
  }

  async function repeat(one: Asked): Promise<void> {
    const [least, most] = repeatAfterMs[random.weighted({ now: 5, soon: 4, late: 1 })];
    // At the end of the run nobody waits any longer.
    await sleep(random.between(least, most), undefined, { signal: over.signal }).catch(() => {});
    if ((await create(one)) !== undefined) load.repeated += 1;
  }

  async function see(one: Asked): Promise<void> {
    // Some partners do not wait for the answer to the first try.
    const lossesBefore = losses;
    const tries = random.chance(0.05) ? [create(one), create(one)] : [create(one)];
    creating += 1;
    const bulkIds = await Promise.all(tries);
    creating -= 1;
    if (new Set(bulkIds).size > 1 && losses === lossesBefore)
      load.faults.push(`key ${one.key} was answered with ${bulkIds.join()}`);
    if (one.bulkId === undefined) return;
    load.created += 1;
    if (one.kind === 'frozen') freezer.freeze(one, random.chance(0.6));
    if (one.kind === 'canceled') await cancel(one, random.between(0, 1_500));
  }

  async function create(one: Asked): Promise<string | undefined> {
    const { key, userId, symbol, to, amount } = one;
    const answer = await askUntilAnswered(`/api/crypto/${userId}/withdraw`, {
      headers: { authorization: `Bearer ${world.apiKey}`, 'idempotency-key': key },
      body: { amount: formatMinor(amount, 6), to, currency: symbol, network: world.network.network },
    });
    if (answer.status === 200) {
      one.bulkId = (answer.body as { data: { bulkId: string } }).data.bulkId;
      one.answeredAt = Date.now();
      return one.bulkId;
    }
    // Lost, and its recipient was frozen since: refused now. If it was paid before, the verdict finds a
    // payment without a row.
    if (answer.status === 403 && one.kind === 'frozen' && one.answeredAt !== undefined) {
      delete one.bulkId;
      return undefined;
    }
    load.faults.push(`a withdrawal was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return undefined;
  }

  async function cancel(one: Asked, afterMs: number): Promise<void> {
    await sleep(afterMs);
    const lossesBefore = losses;
    const withdrawalId = await freezer.idOf(one.key);
    if (withdrawalId === undefined) return;
    const answer = await askUntilAnswered('/operator/withdrawals.cancel', {
      headers: { authorization: `Bearer ${world.operatorToken}` },
      body: { withdrawalId, reason: 'chaos' },
    });
    if (answer.status === 200) one.canceledAt = Date.now();
    else if (answer.status !== 409 && losses === lossesBefore)
      load.faults.push(`a cancel was answered ${answer.status}`);
  }

  interface Question {
    headers: Record<string, string>;
    body: unknown;
  }

  /**
   * Until the answer is not that the database is away, the machine too slow, or the same request under way.
   */
  async function askUntilAnswered(where: string, { headers, body }: Question) {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
      try {
        const response = await fetch(world.apiUrl + where, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
          signal: AbortSignal.timeout(answerWithinMs),
        });
        const answer = { status: response.status, body: await response.json() };
        const isInFlight = answer.status === 409 && response.headers.has('retry-after');
        if (![408, 503].includes(answer.status) && !isInFlight) return answer;
      } catch {
        // No answer in time: the key makes it safe to ask again.
      }
      await sleep(random.between(300, 900));
    }
    return { status: 0, body: `no answer within ${patienceMs / 1_000} s` };
  }
}

function nextOne({ userIds, symbols }: World, random: Random, at: number): Asked {
  const kind = random.weighted(kinds);
  const hex = (length: number) => Array.from({ length }, () => random.between(0, 15).toString(16)).join('');
  // Each amount and each recipient occur once, so what is found on chain is of one withdrawal only.
  const amount = 1_000_000n + BigInt(at);
  return {
    key: `chaos-${at}-${hex(8)}`,
    kind,
    userId: random.pick(userIds),
    symbol: random.pick(symbols),
    to: `0x${hex(40)}`,
    amount: kind === 'over' ? amount * 10_000_000n : amount,
  };
}
