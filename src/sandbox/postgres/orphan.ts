import * as fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '#platform/errors/startup-error';
import { contentOf, run, statIfThere } from './folders.ts';

/** Stops a server that a killed supervisor left behind on this data. */
export async function stopOrphan(place: string): Promise<void> {
  if ((await statIfThere(place)) === undefined) return;
  const data = await fs.realpath(place);
  const pidFile = path.join(data, 'postmaster.pid');
  const pid = Number((await contentOf(pidFile))?.split('\n')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    const deadline = Date.now() + 10_000;
    if (await isServerOf(data, pid)) process.kill(pid, signal);
    while (Date.now() < deadline) {
      if (!(await isServerOf(data, pid))) {
        // The pid may belong to a process that PostgreSQL would mistake for a server of this data. If no
        // process has it, PostgreSQL needs the file to look for the rest of the former server.
        if (isTaken(pid)) await fs.rm(pidFile, { force: true });
        return;
      }
      await sleep(50);
    }
  }
  throw new StartupError(`An earlier PostgreSQL server on ${data} (process ${pid}) does not stop.`);
}

/**
 * Ends what a killed server left computing on this data. Without their server these processes can store
 * nothing more. Only Linux shows which they are; elsewhere we wait for them.
 */
export async function endLeftBehind(data: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (const pid of (await fs.readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [name, folder] = await Promise.all([
      fs.readFile(`/proc/${pid}/comm`, 'utf8').catch(() => ''),
      fs.readlink(`/proc/${pid}/cwd`).catch(() => ''),
    ]);
    if (name.trim() === 'postgres' && folder === data && isTaken(Number(pid)))
      process.kill(Number(pid), 'SIGKILL');
  }
}

async function isServerOf(data: string, pid: number): Promise<boolean> {
  try {
    if (process.platform === 'linux') {
      const commandLine = await fs.readFile(`/proc/${pid}/cmdline`, 'utf8');
      if (path.basename(commandLine.split('\0')[0]!) !== 'postgres') return false;
      return (await fs.readlink(`/proc/${pid}/cwd`)) === data;
    }
    const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return stdout.includes(`postgres -D ${data} `);
  } catch {
    return false;
  }
}

function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
