import { NodeError, type RpcCall } from './json-rpc.ts';
import type { Provider } from './node.ts';

interface Waiting {
  call: RpcCall;
  resolve(result: unknown): void;
  reject(error: NodeError): void;
}

/**
 * A provider that batches calls of the same turn of the event loop: one HTTP request, and one chance to lose
 * it.
 */
export function batchCalls(provider: Provider, timeoutMs?: number): Provider {
  let waiting: Waiting[] = [];

  const send = async () => {
    const asked = waiting;
    waiting = [];
    const answers = await provider.batch(
      asked.map(({ call }) => call),
      timeoutMs,
    );
    asked.forEach(({ resolve, reject }, at) => {
      const answer = answers[at];
      if (answer instanceof NodeError) reject(answer);
      else resolve(answer);
    });
  };
  const ask = (call: RpcCall) =>
    new Promise<unknown>((resolve, reject) => {
      if (waiting.length === 0) queueMicrotask(send);
      waiting.push({ call, resolve, reject });
    });

  return {
    call: <Result>(method: string, params: unknown[]) => ask({ method, params }) as Promise<Result>,
    batch: (calls) => Promise.all(calls.map((call) => ask(call).catch((error: NodeError) => error))),
  };
}
