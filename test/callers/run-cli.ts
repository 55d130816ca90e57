import { execFile } from 'node:child_process';
import { processFile } from '#test/bundle/process-file';

export const cliFile = processFile('src/cli.ts');

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  program?: string[];
  /** Standard input. */
  stdin?: string;
}

/** A real process whose output is led into a pipe, with nothing in its environment but what is given. */
export function runCli(args: readonly string[], options: RunOptions): Promise<Outcome> {
  const { cwd, env = {}, program = [process.execPath, cliFile], stdin = '' } = options;
  const [file, ...first] = program;
  const own = { PATH: process.env.PATH ?? '', NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '' };
  return new Promise((resolve) => {
    const child = execFile(
      file!,
      [...first, ...args],
      { cwd, env: { ...own, ...env }, timeout: 300_000 },
      (error, out, err) => {
        const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0;
        resolve({ code, out: out.trimEnd(), err: err.trimEnd() });
      },
    );
    child.stdin!.on('error', () => {});
    child.stdin!.end(stdin);
  });
}
