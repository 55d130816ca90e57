import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** What to start as a process for a source file: its place in the run's bundle, or the file itself. */
export function processFile(source: string): string {
  const bundle = process.env.CAUSEWAY_TEST_BUNDLE;
  return bundle ? path.join(bundle, source.replace(/\.ts$/, '.mjs')) : path.join(root, source);
}
