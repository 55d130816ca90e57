import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode, reasonOf, StartupError } from '#platform/errors/startup-error';

const run = promisify(execFile);

interface Holder {
  pid: number;
  started: string;
  digest: string;
}

/** Creates the folder if it is absent and returns its real path. */
export async function prepareFolder(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    return await realpath(folder);
  } catch (error) {
    throw new StartupError(`The folder ${folder} cannot be made: ${reasonOf(error)}.`);
  }
}

/** Lets one process at a time supervise a folder; the lock of a process that died is taken over. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const lockFile = path.join(await prepareFolder(folder), 'lock');
  const ticket = { pid: process.pid, started: await processStart(process.pid), token: randomUUID() };
  const content = `${JSON.stringify(ticket)}\n`;
  const ticketFile = `${lockFile}.ticket-${ticket.token}`;
  try {
    await writeFile(ticketFile, content, { flag: 'wx', mode: 0o644 });
    await takeLock(folder, lockFile, ticketFile, digestOf(content));
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The folder ${folder} cannot be written to: ${reasonOf(error)}.`);
  } finally {
    await rm(ticketFile, { force: true }).catch(() => {});
  }
  return async () => {
    const holder = await readHolder(lockFile);
    if (holder?.digest === digestOf(content)) await rm(lockFile, { force: true });
  };
}

// A stale lock cannot simply be removed: a slow process would remove the lock that a faster one has just
// created. So a process that takes over links a claim named after the lock that it replaces, which only one
// can do, and then moves the claim over the lock. A claim counts only while the lock that it replaces is
// still there. A process that dies halfway leaves a stale claim, which is replaced in the same way.
async function takeLock(folder: string, lockFile: string, ticketFile: string, digest: string): Promise<void> {
  for (;;) {
    const succession = await readSuccession(lockFile);
    const holder = succession.holders.at(-1);
    if (holder !== undefined && (await isAlive(holder))) {
      throw new StartupError(`Another Causeway is already running on ${folder} (process ${holder.pid}).`);
    }
    if (!(await linkedUnlessTaken(ticketFile, succession.vacant))) continue;
    if (succession.vacant === lockFile) return;
    const { holders } = await readSuccession(lockFile);
    if (holders.at(-1)?.digest === digest) {
      await rename(succession.vacant, lockFile);
      for (const { digest } of holders) await rm(claimFile(lockFile, digest), { force: true });
      return;
    }
    await rm(succession.vacant, { force: true });
  }
}

function claimFile(lockFile: string, digestOfPredecessor: string): string {
  return `${lockFile}.after-${digestOfPredecessor}`;
}

async function readSuccession(lockFile: string): Promise<{ holders: Holder[]; vacant: string }> {
  for (;;) {
    const holders: Holder[] = [];
    let vacant = lockFile;
    for (let holder = await readHolder(vacant); holder !== undefined; holder = await readHolder(vacant)) {
      holders.push(holder);
      vacant = claimFile(lockFile, holder.digest);
    }
    // A lock that was replaced meanwhile may have led to a claim made too late to count.
    const lock = await readHolder(lockFile);
    if (lock?.digest === holders[0]?.digest) return { holders, vacant };
  }
}

async function readHolder(file: string): Promise<Holder | undefined> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const digest = digestOf(content);
  try {
    const { pid, started } = JSON.parse(content);
    return { pid: Number(pid), started: String(started), digest };
  } catch {
    // A lock that cannot be read, as after a power failure, belongs to no living process.
    return { pid: 0, started: '', digest };
  }
}

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}

async function linkedUnlessTaken(file: string, name: string): Promise<boolean> {
  try {
    await link(file, name);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isAlive({ pid, started }: Holder): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const startedNow = await processStart(pid);
  if (startedNow !== undefined) return startedNow === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may be hidden from us but exist.
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Distinguishes two processes that had the same pid; undefined if the process does not exist or is hidden.
 */
async function processStart(pid: number): Promise<string | undefined> {
  try {
    if (process.platform === 'linux') {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      // The name in parentheses may itself hold spaces and parentheses; the state is field 3 and follows it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      return fields[0] === 'Z' ? 'ended' : `${bootId} ${fields[22 - 3]}`;
    }
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
