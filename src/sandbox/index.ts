import type { Environment } from '#config/setting';

export { readSandboxFile, type SandboxFile } from './sandbox-file.ts';

/** Imported only to start a sandbox, because every CLI command loads this file for `readSandboxFile`. */
export async function runSandbox(args: string[], env: Environment): Promise<void> {
  const { runSandbox } = await import('./run-sandbox.ts');
  return runSandbox(args, env);
}
