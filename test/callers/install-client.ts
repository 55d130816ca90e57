import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientFolder } from '#test/generate/client-files';

const root = path.resolve(import.meta.dirname, '../..');
export const tsc = path.join(root, 'node_modules/.bin/tsc');

/** Builds it into a folder, by the commands that build what is published. */
export function buildClient(outDir: string): void {
  const { scripts } = JSON.parse(readFileSync(path.join(clientFolder, 'package.json'), 'utf8'));
  for (const command of (scripts.prepack as string).split(' && ')) {
    const [name, ...options] = command.split(' ');
    if (name !== 'tsc') throw new Error(`prepack runs ${name}`);
    execFileSync(tsc, [...options, '--outDir', outDir], { cwd: clientFolder, stdio: 'pipe' });
  }
}

/** Puts `@causeway/client` into a folder, as npm would install it, with the types of Node. */
export function installClient(folder: string): void {
  const installed = path.join(folder, 'node_modules/@causeway/client');
  mkdirSync(installed, { recursive: true });
  cpSync(path.join(clientFolder, 'package.json'), path.join(installed, 'package.json'));
  buildClient(path.join(installed, 'dist'));
  symlinkSync(path.join(root, 'node_modules/@types'), path.join(folder, 'node_modules/@types'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
}

/** Fails if a program in such a folder does not compile. */
export function compile(folder: string, file: string): void {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  execFileSync(tsc, [...options, '--noUncheckedIndexedAccess', file], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
