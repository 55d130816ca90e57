// Bundles what tests start as processes: the CLI and the workers that they kill. A bundle has a few dozen
// files instead of 1,800, and a process that loads the app starts with a third of the CPU.
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = path.resolve(import.meta.dirname, '../..');
const cache = path.join(root, 'node_modules/.cache/causeway-processes');
const entries = [
  'src/cli.ts',
  'test/chaos/worker.ts',
  'test/event-chaos/server.ts',
  ...globSync('test/processes/*.ts', { cwd: root }),
];
/** Native code, and packages that read files beside their own. */
const unbundled = /\.node$|^(?:@nomicfoundation\/|pdfkit$|fontkit$)/;
const oldAfterMs = 24 * 3_600_000;

/** Returns the folder of the bundle, which is made unless that of the same sources is there. */
export async function bundleProcesses(): Promise<string> {
  const folder = path.join(cache, hashOfSources());
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  mkdirSync(cache, { recursive: true });
  removeOld();
  const partial = `${folder}.${process.pid}`;
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((file) => [file.replace(/\.ts$/, ''), path.join(root, file)])),
    platform: 'node',
    external: (id) => unbundled.test(id),
    plugins: [asInTheSource],
    logLevel: 'silent',
  });
  await bundle.write({
    dir: partial,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[hash].mjs',
  });
  await bundle.close();
  try {
    renameSync(partial, folder);
  } catch (error) {
    rmSync(partial, { recursive: true });
    // Another run may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Files that our code reads or starts stay where they are. */
const asInTheSource: Plugin = {
  name: 'as in the source',
  transform(code, file) {
    if (file.includes('node_modules') || !code.includes('import.meta')) return;
    // The bundler follows only its own `require`.
    const followed = file.endsWith('src/adapters/evm/viem.ts')
      ? code.replace('const require = createRequire(import.meta.url);', '')
      : code;
    return followed
      .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(file)))
      .replaceAll('import.meta.filename', JSON.stringify(file))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href));
  },
};

function hashOfSources(): string {
  // The bundle names the folder, from which it reads style sheets and SQL.
  const hash = createHash('sha256').update(root);
  const files = globSync(['{src,test}/**/*.{ts,json}', 'packages/*/src/**/*.ts', '*.json'], {
    cwd: root,
  }).sort();
  for (const file of files)
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(path.join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Of sources that have changed since. No run takes a day. */
function removeOld(): void {
  for (const name of readdirSync(cache)) {
    const folder = path.join(cache, name);
    const usedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (usedAt < Date.now() - oldAfterMs) rmSync(folder, { recursive: true, force: true });
  }
}
