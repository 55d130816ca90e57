import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Which processes new requests go to, in turn, as a load balancer decides. */
export interface Balancer {
  targets: string[];
}

export interface Caller {
  userId: string;
  token: string;
}

interface Event {
  type: string;
  sequence: number;
  data: { object: { id: string; externalId?: string } };
}

export interface Load {
  faults: string[];
  requests: number;
  /** Recipients of what was created, by external id. */
  created: Map<string, string>;
  events: Event[];
  /** Ends creations and reads; the feed is read on until `stop`. */
  finish(): Promise<void>;
  stop(): Promise<void>;
}

const answerWithinMs = 30_000;

/** A partner who pays, reads and follows the feed. Each answer that is not 200 is a fault. */
export function startLoad(balancer: Balancer, { userId, token }: Caller, perSecond: number): Load {
  let [isFinished, isOver, turn] = [false, false, 0];
  const ask = async (where: string, init: RequestInit = {}): Promise<{ [field: string]: never }> => {
    turn += 1;
    load.requests += 1;
    const target = balancer.targets[turn % balancer.targets.length]!;
    const headers = { authorization: `Bearer ${token}`, ...init.headers };
    const signal = AbortSignal.timeout(answerWithinMs);
    try {
      const response = await fetch(`${target}${where}`, { ...init, headers, signal });
      if (response.status === 200) return (await response.json()) as never;
      load.faults.push(`${init.method ?? 'GET'} ${where}: ${response.status} ${await response.text()}`);
    } catch (error) {
      load.faults.push(`${init.method ?? 'GET'} ${where}: ${error} ${(error as Error).cause ?? ''}`);
    }
    return {};
  };

  const pay = async (at: number) => {
    const [externalId, to] = [`upgrade-${at}`, `0x${randomBytes(20).toString('hex')}`];
    load.created.set(externalId, to);
    await ask(`/api/crypto/${userId}/withdraw`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': externalId },
      body: JSON.stringify({ amount: '1', to, externalId }),
    });
  };
  const keepOn = async (everyMs: number, work: (at: number) => Promise<unknown>) => {
    const under: Promise<unknown>[] = [];
    for (let at = 0; !isFinished; at += 1) {
      under.push(work(at));
      await sleep(everyMs);
    }
    await Promise.all(under);
  };
  const follow = async () => {
    for (let after = 0; !isOver; ) {
      const { events = [], next = after } = (await ask(`/api/events?after=${after}&wait=2`)) as {
        events?: Event[];
        next?: number;
      };
      load.events.push(...events);
      after = next;
      // The feed allows 60 requests in ten seconds.
      await sleep(250);
    }
  };

  const load: Load = {
    faults: [],
    requests: 0,
    created: new Map(),
    events: [],
    async finish() {
      isFinished = true;
      await working;
    },
    async stop() {
      isOver = true;
      await following;
    },
  };
  const working = Promise.all([
    keepOn(1_000 / perSecond, pay),
    keepOn(500, () => ask(`/api/crypto/${userId}/withdraws?perPage=50`)),
    keepOn(2_500, () => ask('/api/history?resource=account&feature=account')),
  ]);
  const following = follow();
  return load;
}
