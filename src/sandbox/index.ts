import type { Environment } from '#config/setting';

export { readSandboxFile, type SandboxFile } from './sandbox-file.ts';

/** Loaded only to start a sandbox: the CLI reads the file of a running one with every command. */
export async function runSandbox(args: string[], env: Environment): Promise<void> {
  const { runSandbox } = await import('./run-sandbox.ts');
  return runSandbox(args, env);
}
