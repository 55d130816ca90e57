import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenSymbol } from '../../src/evm/index.ts';
import { formatMinor } from '../../src/platform/money.ts';
import { createFreezer } from './freezer.ts';
import type { Random } from './random.ts';
import type { World } from './world.ts';

/** `frozen`: the token freezes the recipient after it was accepted; `over`: more than the user has. */
export type Kind = 'plain' | 'frozen' | 'over' | 'canceled';

export interface Asked {
  key: string;
  kind: Kind;
  userId: string;
  symbol: TokenSymbol;
  to: string;
  amount: bigint;
  /** Once the API has answered 200. */
  bulkId?: string;
  /** The operator was told that it is canceled. */
  isCanceled?: true;
}

export interface Load {
  asked: Asked[];
  created: number;
  /** Answers that no weather explains. */
  faults: string[];
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

/** A partner who asks for withdrawals without pause, and repeats each request until it is answered. */
export function startLoad({ world, random, perSecond }: LoadOptions): Load {
  const freezer = createFreezer(world);
  const underWay = new Set<Promise<void>>();
  const load: Load = { asked: [], created: 0, faults: [], finish };
  let isOver = false;
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
    await asking;
    await Promise.all(underWay);
    await freezer.finish();
  }

  function begin(): void {
    const one = nextOne(world, random, load.asked.length);
    load.asked.push(one);
    const life = see(one).finally(() => underWay.delete(life));
    underWay.add(life);
  }

  async function see(one: Asked): Promise<void> {
    // Some partners do not wait for the answer to the first try.
    const tries = random.chance(0.05) ? [create(one), create(one)] : [create(one)];
    creating += 1;
    const bulkIds = await Promise.all(tries);
    creating -= 1;
    if (new Set(bulkIds).size > 1) load.faults.push(`key ${one.key} was answered with ${bulkIds.join()}`);
    if (bulkIds[0] === undefined) return;
    one.bulkId = bulkIds[0];
    load.created += 1;
    if (one.kind === 'frozen') freezer.freeze(one, random.chance(0.6));
    if (one.kind === 'canceled') await cancel(one, random.between(0, 1_500));
  }

  async function create({ key, userId, symbol, to, amount }: Asked): Promise<string | undefined> {
    const answer = await askUntilAnswered(`/api/crypto/${userId}/withdraw`, {
      headers: { authorization: `Bearer ${world.apiKey}`, 'idempotency-key': key },
      body: { amount: formatMinor(amount, 6), to, currency: symbol, network: world.network.network },
    });
    if (answer.status === 200) return (answer.body as { data: { bulkId: string } }).data.bulkId;
    load.faults.push(`a withdrawal was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return undefined;
  }

  async function cancel(one: Asked, afterMs: number): Promise<void> {
    await sleep(afterMs);
    const withdrawalId = await freezer.idOf(one.bulkId!);
    const answer = await askUntilAnswered('/operator/withdrawals.cancel', {
      headers: { authorization: `Bearer ${world.operatorToken}` },
      body: { withdrawalId, reason: 'chaos' },
    });
    if (answer.status === 200) one.isCanceled = true;
    else if (answer.status !== 409) load.faults.push(`a cancel was answered ${answer.status}`);
  }

  interface Question {
    headers: Record<string, string>;
    body: unknown;
  }

  /** Until the answer is not that the database is away or the same request is under way. */
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
        if (answer.status !== 503 && !isInFlight) return answer;
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
