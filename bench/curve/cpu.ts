import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second. */
const tickMs = 10;

/** Milliseconds of CPU that a process has used with its threads; 0 if it is gone. */
export const cpuMsOf = (pid: number): number => readProcess(pid)?.ownMs ?? 0;

/** The same for a PostgreSQL server with all its processes, also those that have ended. */
export function cpuMsOfServer(postmaster: number): number {
  const { ownMs, endedMs } = readProcess(postmaster)!;
  const children = readdirSync('/proc').flatMap((name) => {
    const process = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    return process?.parent === postmaster ? [process.ownMs] : [];
  });
  return children.reduce((sum, ms) => sum + ms, ownMs + endedMs);
}

/** The server process of which a session's process is a child. */
export const parentOf = (pid: number): number => readProcess(pid)!.parent;

interface ProcessTimes {
  parent: number;
  ownMs: number;
  /** Of its children that have ended. */
  endedMs: number;
}

function readProcess(pid: number): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name in brackets, which may contain blanks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
    const [ownMs, endedMs] = [(user! + system!) * tickMs, (endedUser! + endedSystem!) * tickMs];
    return { parent: Number(fields[1]), ownMs, endedMs };
  } catch {
    return undefined;
  }
}

export interface MachineTimes {
  busyMs: number;
  /** Busy or idle; not what the host of a virtual machine took away. */
  availableMs: number;
}

export function readMachine(): MachineTimes {
  const [first] = readFileSync('/proc/stat', 'utf8').split('\n');
  const [user, nice, system, idle, waiting, interrupts, soft] = first!.split(/\s+/).slice(1).map(Number);
  const busy = user! + nice! + system! + interrupts! + soft!;
  return { busyMs: busy * tickMs, availableMs: (busy + idle! + waiting!) * tickMs };
}
