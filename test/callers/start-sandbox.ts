import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { processFile } from '#test/bundle/process-file';
import type { SandboxFile } from '../../src/sandbox/sandbox-file.ts';

export interface StartedSandbox {
  child: ChildProcess;
  banner: string;
  sandbox: SandboxFile;
  readyMs: number;
}

/** `causeway sandbox` as a process, on a free port. */
export function launchSandbox(
  home: string,
  args: string[] = [],
  env: Record<string, string> = {},
): ChildProcess {
  return spawn(process.execPath, [processFile('src/cli.ts'), 'sandbox', ...args], {
    cwd: tmpdir(),
    env: { ...process.env, CAUSEWAY_HOME: home, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Resolves when it has printed its banner. */
export async function startSandbox(
  home: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<StartedSandbox> {
  const startedAt = performance.now();
  const child = launchSandbox(home, args, env);
  let output = '';
  const banner = await new Promise<string>((resolve, reject) => {
    const note = (chunk: Buffer) => {
      output += chunk;
      if (output.includes('npx causeway')) resolve(output);
    };
    child.stdout!.on('data', note);
    child.stderr!.on('data', note);
    child.on('exit', () => reject(new Error(`the sandbox ended: ${output}`)));
  });
  const sandbox = JSON.parse(readFileSync(path.join(home, 'sandbox.json'), 'utf8')) as SandboxFile;
  return { child, banner, sandbox, readyMs: performance.now() - startedAt };
}

export function stopSandbox(
  { child }: StartedSandbox,
  signal: NodeJS.Signals = 'SIGINT',
): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  child.kill(signal);
  return ended;
}
