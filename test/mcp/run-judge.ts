import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { testFolder } from '../harness.ts';

export interface Verdict {
  code: number;
  stdout: string;
  stderr: string;
}

const modules = path.resolve(import.meta.dirname, '../../node_modules');

/**
 * Runs the program of a development dependency in a separate process, with this Node and a temporary home, so
 * that nothing on the machine affects it; killed if it takes too long.
 */
export async function runJudge(
  script: string,
  args: readonly string[],
  timeoutMs = 60_000,
): Promise<Verdict> {
  const home = mkdtempSync(path.join(testFolder(), 'home-'));
  try {
    return await new Promise((resolve, reject) => {
      const options = {
        ...({ cwd: home, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: 2 ** 26 } as const),
        env: {
          PATH: process.env.PATH,
          HOME: home,
          USERPROFILE: home,
          NO_COLOR: '1',
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        },
      };
      execFile(process.execPath, [path.join(modules, script), ...args], options, (error, stdout, stderr) => {
        if (error && typeof error.code !== 'number') {
          reject(new Error(`${script} did not end by itself\n${stdout}\n${stderr}`, { cause: error }));
        } else resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
