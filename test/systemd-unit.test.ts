import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findTool, toolTest } from '#test/callers/tools';

const unit = readFileSync(path.resolve(import.meta.dirname, '../docs/deploy/causeway@.service'), 'utf8');
const run = promisify(execFile);

/** What systemd says about a unit: it warns about unknown settings and still exits with 0. */
async function findFaults(text: string): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'causeway-unit-'));
  try {
    const file = path.join(folder, 'causeway@8080.service');
    // This machine may have Node elsewhere, in a path with a space.
    writeFileSync(file, text.replace('/usr/bin/node', '/bin/sh'));
    const verify = run(findTool('systemd-analyze')!, ['verify', '--man=no', file]);
    const { stdout, stderr } = await verify.catch((error: { stdout: string; stderr: string }) => error);
    // It also reads units of this machine that ours names.
    return `${stdout}${stderr}`.split('\n').filter((line) => line.includes('causeway@8080'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

toolTest(['systemd-analyze'], 'systemd finds no fault in docs/deploy/causeway@.service', {}, async () => {
  assert.deepEqual(await findFaults(unit), []);
  assert.ok(unit.includes('\nRestartSec='));
  const faults = await findFaults(unit.replace('\nRestartSec=', '\nRestartSeconds='));
  assert.match(faults.join('\n'), /RestartSeconds/);
});
