// `npm run failover -- [--times N] [--seed S]`: kills the primary database server, deletes its data and
// promotes a standby, again and again, while payouts, posts and webhooks run; then counts on chain.
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runDrill } from './drill.ts';

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '20' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
  },
});
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-failover-'));
// Run by root, the servers belong to another account.
chmodSync(folder, 0o755);
try {
  const times = Number(values.times);
  const { broken, seconds, withdrawals, posts } = await runDrill({
    folder,
    times,
    seed: values.seed,
    pauseMs: 2_000,
    say: console.log,
  });
  const sorted = seconds.toSorted((one, other) => one - other);
  console.log(
    `${times} failovers, ${withdrawals} withdrawals, ${posts} posts; to the next settled payout: median ` +
      `${sorted[Math.floor(times / 2)]!.toFixed(1)} s, most ${sorted.at(-1)!.toFixed(1)} s (limit 15)`,
  );
  for (const fault of broken.slice(0, 30)) console.log(`BROKEN: ${fault}`);
  console.log(broken.length === 0 ? 'Every promise was kept.' : `${broken.length} broken`);
  process.exitCode = broken.length === 0 && sorted.at(-1)! <= 15 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
process.exit();
