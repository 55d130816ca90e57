import type { Environment } from '#config/setting';
import type { SandboxOptions } from './run-sandbox.ts';

export { readSandboxFile, type SandboxFile } from './sandbox-file.ts';

/** Imported only to start a sandbox, because every CLI command loads this file for `readSandboxFile`. */
export async function runSandbox(env: Environment, options: SandboxOptions): Promise<void> {
  options.onStep('Loading the program');
  const { runSandbox } = await import('./run-sandbox.ts');
  return runSandbox(env, options);
}
