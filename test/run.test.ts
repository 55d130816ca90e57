import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { waitUntil } from './wait-until.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-run-'));
// PostgreSQL, which does not run as root, must be able to pass through.
chmodSync(folder, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  test(`${signal}: a run stops its tests and its PostgreSQL and removes its folder`, async () => {
    const { NODE_TEST_CONTEXT: _ours, ...env } = process.env;
    const run = spawn(process.execPath, ['test/run.ts', 'graceful-stop'], {
      cwd: path.resolve(import.meta.dirname, '..'),
      env: { ...env, TMPDIR: folder },
      stdio: 'ignore',
    });
    // The tests have begun once they write into the folder.
    await waitUntil(
      'the tests begin',
      () => globSync('causeway-test-*/secrets.txt', { cwd: folder }).length > 0,
    );
    const [pidFile] = globSync('causeway-test-*/postgres/postmaster.pid', { cwd: folder });
    const pid = Number(readFileSync(path.join(folder, pidFile!), 'utf8').split('\n')[0]);
    assert.ok(isAlive(pid));
    const exited = once(run, 'exit');
    run.kill(signal);
    assert.deepEqual(await exited, [code, null]);
    assert.ok(!isAlive(pid), 'PostgreSQL is gone');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('causeway-test-')),
      [],
    );
  });
}
