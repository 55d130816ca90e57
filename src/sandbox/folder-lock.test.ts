import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it, type TestContext } from 'node:test';
import { StartupError } from '#platform/errors/startup-error';
import { lockFolder } from './folder-lock.ts';

const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill('SIGKILL');
});

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway lock '));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A process that tries to take the lock when it is given a line, says how that went, and then keeps running.
 */
async function startTaker(
  folder: string,
): Promise<{ child: ChildProcess; attempt(): Promise<string | undefined> }> {
  const script = `
    const [module, folder] = process.argv.slice(1);
    const { lockFolder } = await import(module);
    console.log('ready');
    process.stdin.once('data', () =>
      lockFolder(folder).then(() => console.log('taken'), (error) => console.log(error.message)));
  `;
  const module = new URL('./folder-lock.ts', import.meta.url).href;
  const args = ['--input-type=module', '-e', script, module, folder];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  assert.equal((await lines.next()).value, 'ready');
  const attempt = async () => {
    child.stdin.write('\n');
    return (await lines.next()).value;
  };
  return { child, attempt };
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function heldBy(pid: number | undefined, folder: string): string {
  return `Another Causeway is already running on ${folder} (process ${pid}).`;
}

function assertOneWinner(results: (string | undefined)[], pid: number | undefined, folder: string): void {
  const refused = Array.from({ length: results.length - 1 }, () => heldBy(pid, folder));
  assert.deepEqual(results.toSorted(), [...refused, 'taken']);
}

describe('lockFolder', () => {
  it('makes the folder, refuses a second lock, and can be taken again after release', async (t) => {
    const folder = path.join(await temporaryFolder(t), 'new', 'folder');
    const release = await lockFolder(folder);
    await assert.rejects(lockFolder(folder), new StartupError(heldBy(process.pid, folder)));
    await release();
    assert.deepEqual(await readdir(folder), []);
    await (await lockFolder(folder))();
  });

  it('lets exactly one of several concurrent processes win a new lock', async (t) => {
    const folder = await temporaryFolder(t);
    const takers = await Promise.all(Array.from({ length: 6 }, () => startTaker(folder)));
    const results = await Promise.all(takers.map((taker) => taker.attempt()));
    const winner = takers[results.indexOf('taken')];
    assert.ok(winner);
    assertOneWinner(results, winner.child.pid, folder);
  });

  it('lets exactly one of several concurrent processes take over the lock of a killed one', async (t) => {
    const folder = await temporaryFolder(t);
    const first = await startTaker(folder);
    assert.equal(await first.attempt(), 'taken');
    await kill(first.child);
    for (let round = 1; round <= 3; round += 1) {
      const takers = await Promise.all(Array.from({ length: 6 }, () => startTaker(folder)));
      const results = await Promise.all(takers.map((taker) => taker.attempt()));
      const winner = takers[results.indexOf('taken')];
      assert.ok(winner);
      assertOneWinner(results, winner.child.pid, folder);
      assert.deepEqual(await readdir(folder), ['lock']);
      await Promise.all(takers.map(({ child }) => kill(child)));
    }
  });

  it('has one holder each time when a stale lock is taken over many times', async (t) => {
    const folder = await temporaryFolder(t);
    for (let round = 1; round <= 100; round += 1) {
      const stale = { pid: process.pid, started: 'another time', token: round };
      await writeFile(path.join(folder, 'lock'), JSON.stringify(stale));
      const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockFolder(folder)));
      const releases = results.filter((result) => result.status === 'fulfilled');
      assert.equal(releases.length, 1);
      await releases[0]!.value();
      assert.deepEqual(await readdir(folder), []);
    }
  });

  it('takes over a lock whose pid now belongs to another process', async (t) => {
    const folder = await temporaryFolder(t);
    const lockFile = path.join(folder, 'lock');
    await writeFile(lockFile, JSON.stringify({ pid: process.pid, started: 'another time', token: 'x' }));
    const release = await lockFolder(folder);
    assert.notEqual(JSON.parse(await readFile(lockFile, 'utf8')).started, 'another time');
    await release();
  });

  it('takes over from a process that died while taking over', async (t) => {
    const folder = await temporaryFolder(t);
    const lockFile = path.join(folder, 'lock');
    const release = await lockFolder(folder);
    const own = await readFile(lockFile, 'utf8');
    await release();
    const stale = own.replace(/"started":"[^"]*"/, '"started":"another time"');
    const digest = createHash('sha256').update(stale).digest('hex').slice(0, 32);
    await writeFile(lockFile, stale);
    await writeFile(`${lockFile}.after-${digest}`, stale.replace('another time', 'yet another'));
    const releaseAgain = await lockFolder(folder);
    assert.deepEqual(await readdir(folder), ['lock']);
    await releaseAgain();
  });

  it('takes over a lock that a power failure left empty', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(path.join(folder, 'lock'), '');
    await (await lockFolder(folder))();
  });

  it('says in one sentence why a folder cannot be made', async (t) => {
    const file = path.join(await temporaryFolder(t), 'file');
    await writeFile(file, '');
    const folder = path.join(file, 'folder');
    const sentence = `The folder ${folder} cannot be made: a part of its path is a file.`;
    await assert.rejects(lockFolder(folder), new StartupError(sentence));
  });

  // Root may write everywhere: for root there is nothing to refuse.
  if (process.getuid?.() !== 0) {
    it('says in one sentence why a folder cannot be written to', async (t) => {
      const folder = await temporaryFolder(t);
      await chmod(folder, 0o500);
      const sentence = `The folder ${folder} cannot be written to: permission denied.`;
      await assert.rejects(lockFolder(folder), new StartupError(sentence));
    });
  }
});
