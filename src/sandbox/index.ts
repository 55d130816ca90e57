export { runSandbox } from './run-sandbox.ts';
export { readSandboxFile, type SandboxFile } from './sandbox-file.ts';
