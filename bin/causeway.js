#!/usr/bin/env node
// TypeScript source runs on Node 24; whatever Node started this file, the pinned one carries on.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../src/cli.ts', import.meta.url));
if (Number(process.versions.node.split('.')[0]) >= 24) {
  await import(cli);
} else {
  const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  if (!existsSync(pinned)) {
    console.error(
      `Causeway needs Node 24 and this is ${process.version}: run npm install in its folder first.`,
    );
    process.exit(1);
  }
  const child = spawn(pinned, [cli, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
