#!/usr/bin/env node
// Causeway runs on Node 24: an older Node hands over to the pinned one.
import { spawn } from 'node:child_process';
import { accessSync, existsSync, mkdirSync, constants as modes } from 'node:fs';
import module, { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// A checkout has the source, and a package has only what prepack made of it.
const source = new URL('../src/cli.ts', import.meta.url);
const cli = existsSync(source) ? source : new URL('../dist/cli.js', import.meta.url);

const cache = process.env.NODE_COMPILE_CACHE ?? compileCacheFolder();
if (cache) process.env.NODE_COMPILE_CACHE = cache;
if (Number(process.versions.node.split('.')[0]) >= 24) {
  if (cache) module.enableCompileCache(cache);
  await import(cli.href);
} else {
  const pinned = findPinnedNode();
  if (!pinned) {
    console.error(
      `Causeway needs Node 24 and this is ${process.version}: use Node 24, or install Causeway with its optional packages.`,
    );
    process.exit(4);
  }
  const child = spawn(pinned, [fileURLToPath(cli), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** Wherever npm put the package: beside ours, below it, or in a folder above. */
function findPinnedNode() {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform}-${process.arch}`;
  for (const name of [`node-${platform}`, `node-bin-${platform}`]) {
    try {
      return path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', 'node');
    } catch {
      // Not installed under this name.
    }
  }
  return undefined;
}

/**
 * Compiled code is kept between runs, which saves a second of CPU where the app is loaded. It is kept only
 * where no other user can write: with the packages, or in the user's home if the packages are read-only.
 */
function compileCacheFolder() {
  const besidePackages = fileURLToPath(new URL('../node_modules/.cache/causeway', import.meta.url));
  return [besidePackages, path.join(homedir(), '.cache/causeway')].find((folder) => {
    try {
      mkdirSync(folder, { recursive: true });
      accessSync(folder, modes.W_OK);
      return true;
    } catch {
      return false;
    }
  });
}
