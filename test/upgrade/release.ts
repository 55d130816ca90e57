import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../wait-until.ts';

/** The files of a commit, with the packages that are installed here. */
export function unpackRelease(root: string, ref: string, folder: string): string {
  const release = path.join(folder, 'release');
  mkdirSync(release);
  const archive = path.join(folder, 'release.tar');
  execFileSync('git', ['archive', '--format=tar', '-o', archive, ref], { cwd: root });
  execFileSync('tar', ['-xf', archive, '-C', release]);
  symlinkSync(path.join(root, 'node_modules'), path.join(release, 'node_modules'));
  return release;
}

export type Settings = Record<string, string>;

const environmentOf = (settings: Settings) => ({ PATH: process.env.PATH, ...settings });

export function migrateWith(release: string, settings: Settings): void {
  execFileSync(process.execPath, ['src/cli.ts', 'migrate'], {
    cwd: release,
    env: environmentOf(settings),
    timeout: 180_000,
  });
}

export interface Process {
  url: string;
  /** As systemd does. Resolves to the exit code. */
  stop(): Promise<number | null>;
  kill(): void;
}

/** `causeway serve` of a release, once it is ready. */
export async function startProcess(release: string, role: string, settings: Settings): Promise<Process> {
  const child: ChildProcess = spawn(process.execPath, ['src/cli.ts', 'serve', '--roles', role], {
    cwd: release,
    env: environmentOf({ ...settings, PORT: '0' }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  let output = '';
  child.stdout!.on('data', (chunk) => {
    if (!output.includes('"msg":"started"')) output += chunk;
  });
  await waitUntil(
    'a process has started',
    () => output.includes('"msg":"started"') || child.exitCode !== null,
  );
  if (child.exitCode !== null) throw new Error(`serve ended: ${output}`);
  const started = output.split('\n').find((line) => line.includes('"msg":"started"'))!;
  const { url = '' } = JSON.parse(started) as { url?: string };
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
