import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { IdempotencyStore } from './idempotency.ts';

/**
 * Keeps idempotency keys in a folder, one file for each operation. Several processes on one machine may share
 * it. Keep the folder as long as operations may be repeated: the server remembers keys forever.
 *
 * @example
 * const causeway = new Causeway({ baseUrl, apiKey, store: fileStore('/var/lib/payouts/keys') });
 */
export function fileStore(folder: string): IdempotencyStore {
  return {
    async keep(name, key) {
      await makeFolder(folder);
      // A hash, because names may differ only in case, and may have any length and any sign.
      const file = path.join(folder, `${createHash('sha256').update(name).digest('hex')}.json`);
      return (await readKey(file, name)) ?? (await writeKey(folder, file, name, key));
    },
  };
}

async function readKey(file: string, name: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const kept = JSON.parse(text);
  if (kept.name !== name) throw new Error(`${file} has the key of another operation`);
  // The process that wrote it may have ended before its own sync.
  await syncFolder(path.dirname(file));
  return kept.key;
}

/** `link` makes the whole file appear at once, and only if there is no other. */
async function writeKey(folder: string, file: string, name: string, key: string): Promise<string> {
  const temporary = path.join(folder, `${randomUUID()}.tmp`);
  await writeDurably(temporary, `${JSON.stringify({ name, key })}\n`);
  try {
    await link(temporary, file);
    await syncFolder(folder);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    // Another process was first.
    return (await readKey(file, name))!;
  } finally {
    await unlink(temporary);
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // Each new folder is an entry of the one above it, up to that of the first.
  const top = path.dirname(path.resolve(first));
  for (
    let above = path.dirname(path.resolve(folder));
    above.length >= top.length;
    above = path.dirname(above)
  ) {
    await syncFolder(above);
    if (above === top) return;
  }
}

/** Without it, a power failure could lose the name of the file. Windows has no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
