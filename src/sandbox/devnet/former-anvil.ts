import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartError } from '../../platform/start-error.ts';

const run = promisify(execFile);
const millisecondsToStop = 5_000;

/**
 * Ends the node of a supervisor that was killed. Its guard is about to end it, but until then it writes the state file, and
 * whoever read that now would read half of it.
 */
export async function endFormerAnvil(pidFile: string, stateFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    if (!(await isNodeOn(stateFile, pid))) return;
    try {
      process.kill(pid, signal);
    } catch {
      // It ended just now, or belongs to somebody else: the next look tells.
    }
    for (const deadline = Date.now() + millisecondsToStop; Date.now() < deadline; await sleep(20)) {
      if (!(await isNodeOn(stateFile, pid))) return;
    }
  }
  throw new StartError(`An earlier devnet on ${stateFile} (process ${pid}) does not stop.`);
}

async function isNodeOn(stateFile: string, pid: number): Promise<boolean> {
  try {
    if (process.platform === 'linux') {
      // A zombie's command line is empty.
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').includes(stateFile);
    }
    const { stdout } = await run('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return stdout.includes(`--state ${stateFile} `);
  } catch {
    return false;
  }
}
