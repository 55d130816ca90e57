// `npm run failover -- [--times N] [--seed S]`: kills the primary database server, deletes its data and
// promotes a standby, again and again, while payouts, posts and webhooks run; then counts on chain. With
// --asynchronous, each failover loses the last seconds of commits: wallets must halt and say why, and nobody
// is paid twice after the recovery that docs/operating.md describes.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { bundleProcesses } from '../bundle/bundle.ts';
import { runDrill } from './drill.ts';
import { runLossDrill } from './loss-drill.ts';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '' },
    asynchronous: { type: 'boolean', default: false },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
  },
});
process.env.CAUSEWAY_TEST_BUNDLE = await bundleProcesses();
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-failover-'));
// Run by root, the servers belong to another account.
chmodSync(folder, 0o755);
const times = Number(values.times || (values.asynchronous ? 3 : 20));
const options = { folder, times, seed: values.seed, say: console.log };
try {
  process.exitCode = (await (values.asynchronous ? rehearseLoss() : rehearse())) ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
process.exit();

async function rehearse(): Promise<boolean> {
  const { broken, seconds, withdrawals, posts } = await runDrill({ ...options, pauseMs: 2_000 });
  const { median, most } = describe(seconds);
  console.log(
    `${times} failovers, ${withdrawals} withdrawals, ${posts} posts; to the next settled payout: median ` +
      `${median.toFixed(1)} s, most ${most.toFixed(1)} s (limit 15)`,
  );
  return tell(broken) && most <= 15;
}

async function rehearseLoss(): Promise<boolean> {
  const { broken, seconds, withdrawals, repeated, lost } = await runLossDrill(options);
  const { median, most } = describe(seconds);
  console.log(
    `${times} failovers, ${withdrawals} withdrawals; the database lost ${lost} transactions that were sent, and ` +
      `${repeated} requests were repeated; until every wallet was halted: median ${median.toFixed(1)} s, most ` +
      `${most.toFixed(1)} s`,
  );
  return tell(lost > 0 ? broken : [...broken, 'nothing was lost']);
}

function describe(seconds: readonly number[]) {
  const sorted = seconds.toSorted((one, other) => one - other);
  return { median: sorted[Math.floor(sorted.length / 2)]!, most: sorted.at(-1)! };
}

function tell(broken: readonly string[]): boolean {
  for (const fault of broken.slice(0, 30)) console.log(`BROKEN: ${fault}`);
  console.log(broken.length === 0 ? 'Every promise was kept.' : `${broken.length} broken`);
  return broken.length === 0;
}
