import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Member } from '#test/database/cluster';

/** CPU microseconds of a server by kind of process, `ended` included. */
export type ServerCpu = Record<'sessions' | 'walsender' | 'others' | 'ended', number>;

const tickUs = 10_000;
const background =
  /^postgres: (checkpointer|background writer|walwriter|autovacuum|io worker|logical|archiver|startup)/;

/**
 * Of the first process and its children: the time on a CPU, to the nanosecond. Of children that ended, the
 * kernel adds the time to their parent, in ticks.
 */
export function readCpu({ postgres: { pid } }: Member): ServerCpu {
  const cpu: ServerCpu = { sessions: 0, walsender: 0, others: 0, ended: 0 };
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = statOf(name);
      if (Number(name) === pid) cpu.ended = (Number(fields[13]) + Number(fields[14])) * tickUs;
      if (Number(name) === pid || Number(fields[1]) === pid) cpu[kindOf(name, pid)] += onCpuUs(name);
    } catch {
      // It ended meanwhile.
    }
  }
  return cpu;
}

/**
 * A replica has its own machine in production. Here it shares one with the load, and is late if it must wait
 * for the CPU. Its processes get a higher priority, if this user may do that; sessions inherit it.
 */
export function prefer({ postgres: { pid } }: Member): void {
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (Number(name) === pid || Number(statOf(name)[1]) === pid) setPriority(Number(name), -10);
    } catch (error) {
      if (Number(name) === pid)
        console.log(`The replica has the usual priority: ${(error as Error).message}`);
    }
  }
}

const statOf = (pid: string) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

const onCpuUs = (pid: string) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000;

function kindOf(pid: string, server: number): keyof ServerCpu {
  const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  if (title.startsWith('postgres: walsender')) return 'walsender';
  return Number(pid) === server || background.test(title) ? 'others' : 'sessions';
}

export const totalOf = (cpu: ServerCpu): number => Object.values(cpu).reduce((sum, us) => sum + us, 0);

export const since = (before: ServerCpu, now: ServerCpu): ServerCpu => ({
  sessions: now.sessions - before.sessions,
  walsender: now.walsender - before.walsender,
  others: now.others - before.others,
  ended: now.ended - before.ended,
});
