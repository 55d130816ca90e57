// `npm run upgrade -- [--from REF]`: replaces the processes of an older release by those of this one, one by
// one, while partners pay and read; then counts on chain. The older release is a commit of this repository;
// without one, the commit before the newest migration.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runDrill } from './drill.ts';

const root = path.resolve(import.meta.dirname, '../..');
const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim();
const { values } = parseArgs({ options: { from: { type: 'string' } } });
const newestMigration = () => git('log', '-1', '--diff-filter=A', '--format=%H', '--', 'database/migrations');
const from = git('rev-parse', values.from ?? `${newestMigration()}^`);

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-upgrade-'));
// Run by root, the server belongs to another account.
chmodSync(folder, 0o755);
try {
  console.log(`from ${git('log', '-1', '--format=%h %s', from)}`);
  const outcome = await runDrill({ root, from, folder, say: console.log });
  const { requests, withdrawals, events, broken } = outcome;
  console.log(`${requests} requests, ${withdrawals} withdrawals, ${events} events`);
  for (const fault of broken.slice(0, 30)) console.log(`BROKEN: ${fault}`);
  console.log(broken.length === 0 ? 'Every promise was kept.' : `${broken.length} broken`);
  process.exitCode = broken.length === 0 ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
process.exit();
