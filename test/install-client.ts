import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clientFolder } from './client-files.ts';

const root = path.resolve(import.meta.dirname, '..');
export const tsc = path.join(root, 'node_modules/.bin/tsc');

/** Puts `@causeway/client` into a folder, as npm would install it, with the types of Node. */
export function installClient(folder: string): void {
  const installed = path.join(folder, 'node_modules/@causeway/client');
  mkdirSync(installed, { recursive: true });
  cpSync(path.join(clientFolder, 'package.json'), path.join(installed, 'package.json'));
  execFileSync(tsc, ['-p', clientFolder, '--outDir', path.join(installed, 'dist')], { stdio: 'pipe' });
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
