import { setTimeout as sleep } from 'node:timers/promises';
import { NodeError, type RpcCall } from './json-rpc.ts';
import type { Node, Provider } from './node.ts';

interface Patience {
  /** Attempts without a new answer. If 40 % of calls fail, 1 in 100 million fails this often. */
  tries: number;
  /** Measured from the first call; later failures are not retried. */
  deadlineMs: number;
}

const pauseMs = { first: 20, longest: 500 };

/**
 * An operator waits for this: 8 s if a node refuses connections, about a minute if it accepts them and is
 * silent.
 */
const usualPatience: Patience = { tries: 20, deadlineMs: 60_000 };

/**
 * Wraps a node and retries calls without an answer: no connection, a timeout, a 429 or a 5xx. Answers stay,
 * refusals included. A transaction is sent once, because its sender must see the outcome.
 */
export function askAgain(node: Node, patience = usualPatience): Node {
  const deadline = performance.now() + patience.deadlineMs;
  const patient = new Map(
    node.providers.map((provider) => [provider, createPatient(provider, patience.tries, deadline)]),
  );
  const askedBy = new Map([...patient].map(([provider, own]) => [own, provider]));
  return {
    ...node,
    providers: [...patient.values()],
    pick: (not) => patient.get(node.pick(not && askedBy.get(not)))!,
  };
}

function createPatient(provider: Provider, tries: number, deadline: number): Provider {
  const batch: Provider['batch'] = async (calls, timeoutMs) => {
    const answers = await provider.batch(calls, timeoutMs);
    let open = unanswered(calls, answers);
    for (let failed = 1; open.length > 0 && failed < tries; ) {
      const pause = Math.min(pauseMs.first * 2 ** (failed - 1), pauseMs.longest);
      if (performance.now() + pause > deadline) break;
      await sleep(pause);
      const asked = open.map((at) => calls[at]!);
      const again = await provider.batch(asked, timeoutMs);
      again.forEach((answer, at) => {
        answers[open[at]!] = answer;
      });
      const still = unanswered(calls, answers);
      failed = still.length < open.length ? 1 : failed + 1;
      open = still;
    }
    return answers;
  };
  return {
    batch,
    async call<Result>(method: string, params: unknown[], timeoutMs?: number): Promise<Result> {
      const [answer] = await batch([{ method, params }], timeoutMs);
      if (answer instanceof NodeError) throw answer;
      return answer as Result;
    },
  };
}

/** The indexes of calls that the node did not answer. */
const unanswered = (calls: readonly RpcCall[], answers: readonly unknown[]) =>
  answers.flatMap((answer, at) => (isUnanswered(answer) && calls[at]!.method !== sendMethod ? [at] : []));

const isUnanswered = (answer: unknown) =>
  answer instanceof NodeError && (!answer.isAnswer || answer.isOverloaded);

const sendMethod = 'eth_sendRawTransaction';
