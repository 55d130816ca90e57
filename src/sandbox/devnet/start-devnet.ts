import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { reasonOf, StartupError } from '#platform/errors/startup-error';
import type { Devnet, DevnetOptions } from './start-networks.ts';

/** What the thread sends. */
export type ThreadMessage =
  | { kind: 'started'; networks: Devnet['networks'] }
  | { kind: 'failed' | 'lost'; reason: string }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; fields: object; text: string };

const threadFile = path.join(import.meta.dirname, `thread${path.extname(import.meta.filename)}`);

const stopMs = 5_000;
let hasStarted = false;

/**
 * Starts the networks in a thread. In the API's thread, a chain with 40 transactions a second takes a fifth
 * of the time and doubles the p99 of answers. Once a process: the engine crashes when a second thread loads
 * it.
 */
export async function startDevnet({ home, keys, log }: DevnetOptions): Promise<Devnet> {
  if (hasStarted) throw new Error('a process can start the devnets only once');
  hasStarted = true;
  const thread = new Worker(threadFile, { workerData: { home, keys }, execArgv: [] });
  const { promise: lost, resolve: lose } = Promise.withResolvers<StartupError>();
  const { promise: started, resolve, reject } = Promise.withResolvers<Devnet['networks']>();
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  let isStopping = false;
  const fail = (reason: string) => {
    if (isStopping) return;
    reject(new StartupError(reason));
    lose(new StartupError(reason));
  };
  thread.on('message', (message: ThreadMessage) => {
    if (message.kind === 'started') resolve(message.networks);
    else if (message.kind === 'log') log[message.level](message.fields, message.text);
    else fail(message.reason);
  });
  thread.on('error', (error) => fail(`The devnets ended: ${reasonOf(error)}.`));
  thread.on('exit', () => fail('The devnets ended.'));
  const stop = async () => {
    isStopping = true;
    thread.postMessage('stop');
    const lastResort = setTimeout(() => thread.terminate(), stopMs);
    await exited;
    clearTimeout(lastResort);
  };
  try {
    return { networks: await started, lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
