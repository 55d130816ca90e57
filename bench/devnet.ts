import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openChain, serveChain } from '../src/sandbox/devnet/index.ts';
import type { ReadOrder, ReadReport } from './devnet/read.ts';
import { measureStarts } from './devnet/starts.ts';
import { type Bench, median } from './measure.ts';
import { createWorld, messageOf, startProcess, stopProcess } from './withdrawals/world.ts';

const rounds = 7;
const secondsEach = 4;
/** As many as the sandbox's hot wallet pays when it is busy, each with the reads that a payout makes. */
const transactionsPerSecond = 40;
const requestsPerSecond = 200;

/** How much a busy chain inside the server's process slows the API's answers, against the same chain in another process. */
const measureAnswers = async ({ db, databaseUrl }: Parameters<Bench>[0]): Promise<void> => {
  const world = await createWorld({ db, databaseUrl }, { networks: [], users: 1 });
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bench-devnet-'));
  const chain = await openChain({ chainId: 137, journalFile: path.join(folder, 'inside.jsonl') });
  const inside = await serveChain(async () => chain);
  const other = await startProcess('../devnet/chain.ts', { journalFile: path.join(folder, 'outside.jsonl') });
  const { url: outsideUrl } = await askOf<{ url: string }>(other, {});
  const sender = await startProcess('../devnet/send.ts');
  const reader = await startProcess('../devnet/read.ts');
  const p99 = { none: [] as number[], inside: [] as number[], outside: [] as number[] };
  try {
    const order: ReadOrder = {
      ...{ url: `http://127.0.0.1:${world.port}/api/crypto/assets`, token: world.key.token },
      ...{ seconds: secondsEach, perSecond: requestsPerSecond },
    };
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, rpcUrl] of [['none'], ['inside', inside.url], ['outside', outsideUrl]] as const) {
        const sent =
          rpcUrl && askOf(sender, { rpcUrl, seconds: secondsEach, perSecond: transactionsPerSecond });
        const report = await askOf<ReadReport>(reader, order);
        await sent;
        if (round >= 0) p99[name].push(report.p99Ms);
      }
    }
    const figures = Object.entries(p99).map(([name, all]) => `${name} ${median(all).toFixed(1)} ms`);
    const ratio = median(p99.inside.map((one, round) => one / p99.outside[round]!));
    console.log(`p99 of an answer while a chain is busy, inside / in another process: ${ratio.toFixed(2)}`);
    console.log(`… medians of ${rounds} rounds: ${figures.join(', ')}`);
    console.log(`… the chain inside has ${chain.head.number} blocks`);
  } finally {
    await Promise.all([other, sender, reader].map(stopProcess));
    await inside.stop();
    chain.close();
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
