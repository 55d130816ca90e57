// `npm run bench -- <name> [part …]`: runs bench/<name>.ts, or parts of it, on a separate PostgreSQL.
import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createPool } from '#platform/db/db';
import { migrate } from '#platform/db/migrate';
import { createLog } from '#platform/observe/log';
import { startPostgres } from '../src/sandbox/postgres/index.ts';
import type { Bench } from './measure.ts';

const [name = '', ...parts] = process.argv.slice(2);
const file = path.join(import.meta.dirname, `${name}.ts`);
const names = globSync('*.ts', { cwd: import.meta.dirname })
  .map((entry) => path.basename(entry, '.ts'))
  .filter((entry) => entry !== 'run' && entry !== 'measure');
if (!names.includes(name) || !existsSync(file)) {
  console.error(`Say which: npm run bench -- ${names.join(' | ')}`);
  process.exit(1);
}

const { run, runAlone } = (await import(file)) as {
  run?: Bench;
  runAlone?: (parts: string[]) => Promise<void>;
};
if (runAlone) {
  await runAlone(parts);
  process.exit();
}

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-bench-'));
// As docs/operating.md says.
const settings = { shared_buffers: '1GB', max_wal_size: '4GB' };
const postgres = await startPostgres({ folder, durable: true, settings });
try {
  await migrate(postgres.url());
  const log = createLog({ level: 'silent' });
  const db = createPool({ url: postgres.url(), connectionsMax: 10, statementTimeoutMs: 600_000, log });
  await run!({ db, databaseUrl: postgres.url(), log, parts });
  await db.end();
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
