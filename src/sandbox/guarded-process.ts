import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';

const secondsToStop = 15;

// The shell becomes the command by exec, so that pid, exit code and signals are the command's, and SIGINT is
// not ignored as in a shell's background job. The guard is a grandchild, so that the command has no child
// that it did not start. It reads from the pipe on descriptor 3, whose other end only our process holds: a
// line means that the command is gone, an end without a line means that we are.
const guardScript = `
stop_signal=$1
seconds_to_stop=$2
shift 2
( (
  trap '' HUP INT QUIT TERM
  cd /
  if read -r line <&3; then exit 0; fi
  kill -s "$stop_signal" $$ || exit 0
  while [ "$seconds_to_stop" -gt 0 ]; do
    sleep 1
    kill -0 $$ || exit 0
    seconds_to_stop=$((seconds_to_stop - 1))
  done
  kill -s KILL $$
) >/dev/null 2>&1 & )
exec "$@" 3<&-
`;

export interface GuardedCommand {
  command: string;
  args: string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  stopSignal: NodeJS.Signals;
  logFile?: string;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface GuardedProcess {
  pid: number;
  exited: Promise<Exit>;
  stop(): Promise<void>;
}

/** Starts a command that cannot outlive this process, not even when this process is killed with SIGKILL. */
export async function spawnGuarded(guarded: GuardedCommand): Promise<GuardedProcess> {
  const { command, args, cwd, env, uid, gid, stopSignal, logFile } = guarded;
  const output = logFile === undefined ? 'ignore' : openSync(logFile, 'a', 0o600);
  const signalName = stopSignal.replace(/^SIG/, '');
  const shellArgs = [
    '-c',
    guardScript,
    'causeway-guard',
    signalName,
    String(secondsToStop),
    command,
    ...args,
  ];
  try {
    // A separate session, so that the terminal's Ctrl-C does not reach the command; we stop it in our own
    // order.
    const child = spawn('/bin/sh', shellArgs, {
      cwd,
      env,
      uid,
      gid,
      detached: true,
      stdio: ['ignore', output, output, 'pipe'],
    });
    const exited = new Promise<Exit>((resolve) => {
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    await once(child, 'spawn');

    const pipe = child.stdio[3] as Socket;
    pipe.on('error', () => pipe.destroy());
    pipe.unref();
    void exited.then(() => pipe.end('exited\n', () => pipe.destroy()));

    const stop = async () => {
      child.kill(stopSignal);
      const lastResort = setTimeout(() => child.kill('SIGKILL'), secondsToStop * 1000);
      await exited;
      clearTimeout(lastResort);
    };
    return { pid: child.pid!, exited, stop };
  } finally {
    if (typeof output === 'number') closeSync(output);
  }
}
