import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode, StartupError } from '#platform/errors/startup-error';

/**
 * An append-only file: each line has a digest over itself and the line before, so that damage is detected.
 */
export interface Journal<Entry> {
  append(entry: Entry): void;
  /** Resolves when everything appended so far is on disk. */
  durable(): Promise<void>;
  close(): Promise<void>;
}

const newline = 0x0a;

/**
 * Replays the file. An incomplete last line was being written when the process or the machine stopped: no
 * caller got an answer about it, and it is cut off. Any other damage refuses to open.
 */
export async function openJournal<Entry>(
  file: string,
  replay: (entry: Entry) => void,
): Promise<Journal<Entry>> {
  const content = await readIfThere(file);
  const end = (content?.lastIndexOf(newline) ?? -1) + 1;
  const lines = content?.subarray(0, end).toString('utf8').split('\n').slice(0, -1) ?? [];
  let digest = '';
  for (const [at, line] of lines.entries()) {
    const text = line.slice(line.indexOf(' ') + 1);
    digest = digestOf(digest, text);
    if (line !== `${digest} ${text}`) throw new StartupError(`${file} is damaged in line ${at + 1}.`);
    replay(JSON.parse(text) as Entry);
  }
  const handle = await open(file, 'a', 0o600);
  if (content === undefined) await syncFolderOf(file);
  else if (end < content.length) {
    await handle.truncate(end);
    await handle.datasync();
  }
  return createWriter(handle, digest);
}

function createWriter<Entry>(handle: FileHandle, lastDigest: string): Journal<Entry> {
  let digest = lastDigest;
  let waiting: string[] = [];
  let writing: Promise<void> | undefined;

  // Entries that arrive while the disk is busy are written together next, so that many writers share one
  // sync.
  const write = async () => {
    while (waiting.length > 0) {
      const lines = waiting.join('');
      waiting = [];
      await handle.appendFile(lines);
      await handle.datasync();
    }
    writing = undefined;
  };

  return {
    append(entry) {
      const text = JSON.stringify(entry);
      digest = digestOf(digest, text);
      waiting.push(`${digest} ${text}\n`);
      // After a failure it stays rejected, because the state of the disk is unknown.
      writing ??= write();
    },
    async durable() {
      await writing;
    },
    async close() {
      await writing;
      await handle.close();
    },
  };
}

const digestOf = (before: string, text: string) =>
  createHash('sha256').update(`${before} ${text}`).digest('hex').slice(0, 32);

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** A new file's name is on disk only after its folder is synced. */
async function syncFolderOf(file: string): Promise<void> {
  const folder = await open(path.dirname(file), 'r');
  await folder.sync();
  await folder.close();
}
