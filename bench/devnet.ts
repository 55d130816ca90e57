import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startDevnet } from '../src/sandbox/devnet/index.ts';
import type { ReadOrder, ReadReport } from './devnet/read.ts';
import { makeKeys, measureStarts } from './devnet/starts.ts';
import { type Bench, measureRounds, median } from './measure.ts';
import { createWorld, messageOf, startProcess, stopProcess } from './withdrawals/world.ts';

const rounds = 7;
const secondsEach = 4;
/** As many as the sandbox's hot wallet pays when it is busy, each with the reads that a payout makes. */
const transactionsPerSecond = 40;
const requestsPerSecond = 200;

/**
 * How much a busy devnet in a thread of the server slows the API's answers, against the same devnet in
 * another process.
 */
const measureAnswers = async ({ db, databaseUrl, log }: Parameters<Bench>[0]): Promise<void> => {
  const world = await createWorld({ db, databaseUrl }, { networks: [], users: 1 });
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bench-devnet-'));
  const keys = makeKeys();
  const thread = await startDevnet({ home: path.join(folder, 'thread'), keys, log });
  const other = await startProcess('../devnet/networks.ts', { home: path.join(folder, 'process'), keys });
  const { rpcUrl } = await askOf<{ rpcUrl: string }>(other, {});
  const sender = await startProcess('../devnet/send.ts');
  const reader = await startProcess('../devnet/read.ts');
  const urls = { none: undefined, thread: thread.networks.polygon.rpcUrl, process: rpcUrl };
  const order: ReadOrder = {
    url: `http://127.0.0.1:${world.port}/api/crypto/assets`,
    token: world.key.token,
    seconds: secondsEach,
    perSecond: requestsPerSecond,
  };
  const measure = async (rpcUrl: string | undefined) => {
    const busy = { rpcUrl, seconds: secondsEach, perSecond: transactionsPerSecond };
    const [report] = await Promise.all([askOf<ReadReport>(reader, order), rpcUrl && askOf(sender, busy)]);
    return report.p99Ms;
  };
  try {
    const p99 = await measureRounds(
      {
        none: () => measure(urls.none),
        thread: () => measure(urls.thread),
        process: () => measure(urls.process),
      },
      rounds,
    );
    const ratio = median(p99.thread.map((one, round) => one / p99.process[round]!));
    const figures = Object.entries(p99).map(([name, all]) => `${name} ${median(all).toFixed(1)} ms`);
    console.log(`p99 of an answer while a devnet is busy, in a thread / in a process: ${ratio.toFixed(2)}`);
    console.log(`… medians of ${rounds} rounds: ${figures.join(', ')}`);
  } finally {
    await Promise.all([other, sender, reader].map(stopProcess));
    await thread.stop();
    await world.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

export const run: Bench = async (deps) => {
  const isWanted = (part: string) => deps.parts.length === 0 || deps.parts.includes(part);
  if (isWanted('answers')) await measureAnswers(deps);
  if (!isWanted('starts')) return;
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bench-devnet-'));
  try {
    await measureStarts(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

async function askOf<Answer>(child: Parameters<typeof messageOf>[0], order: object): Promise<Answer> {
  child.send(order);
  return (await messageOf(child)) as Answer;
}
