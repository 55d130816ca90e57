import { setTimeout as sleep } from 'node:timers/promises';
import { NodeError, type RpcCall } from './json-rpc.ts';
import type { Node, Provider } from './node.ts';

interface Patience {
  /** How often a node is asked without a new answer. If 40 % of calls fail, 1 in 100 million fails this often. */
  tries: number;
  /** From the first call on; what fails later is not asked again. */
  deadlineMs: number;
}

const pauseMs = { first: 20, longest: 500 };

/** An operator waits for it: 8 seconds where a node refuses connections, about a minute where it takes them and is silent. */
const usualPatience: Patience = { tries: 20, deadlineMs: 60_000 };

/**
 * The same node, which is asked again what it did not answer: no connection, no answer in time, a 429 or a 5xx. What it does
 * answer stays, a refusal included. A transaction is sent once: its sender must see what became of it.
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

/** The places of calls that the node did not answer. */
const unanswered = (calls: readonly RpcCall[], answers: readonly unknown[]) =>
  answers.flatMap((answer, at) => (isUnanswered(answer) && calls[at]!.method !== sendMethod ? [at] : []));

const isUnanswered = (answer: unknown) =>
  answer instanceof NodeError && (!answer.isAnswer || answer.isOverloaded);

const sendMethod = 'eth_sendRawTransaction';
