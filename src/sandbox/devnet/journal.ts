import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import type { Hex } from './engine.ts';
import type { Sent } from './pool.ts';
import type { Snapshot } from './snapshot.ts';

/** The history of a chain, in order: replaying it gives the same chain, block hash by block hash. */
export type Entry =
  | { kind: 'genesis'; chainId: number; time: number; hasSteadyFees?: boolean; snapshot?: Snapshot }
  | { kind: 'empty'; time: number }
  | { kind: 'block'; time: number; baseFee?: Hex; sent: Sent[]; hash: string }
  | { kind: 'change'; method: string; params: unknown[] };

export type Genesis = Extract<Entry, { kind: 'genesis' }>;

export interface Journal {
  /** Hands the entry to the operating system before it returns, so it survives `kill -9`. */
  append(entry: Entry): void;
  /** How much there is; `rewind` forgets what was appended since. */
  position(): number;
  rewind(position: number): void;
  /** Replaces everything before a snapshot atomically. */
  restart(genesis: Genesis): void;
  close(): void;
}

/** The file has something that this release did not write. */
export class DamagedJournal extends Error {}

/**
 * An incomplete last line was being written when the process was killed; no caller got an answer about it.
 */
export function readJournal(file: string): [Genesis, ...Entry[]] | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  const wholeBytes = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.subarray(0, wholeBytes).toString().split('\n').slice(0, -1);
  const entries = lines.map(readEntry);
  const [first, ...others] = entries;
  if (first?.kind !== 'genesis') throw new DamagedJournal('it does not begin with a genesis block');
  if (wholeBytes < bytes.length) truncateSync(file, wholeBytes);
  return [first, ...others];
}

function readEntry(line: string, at: number): Entry {
  try {
    return JSON.parse(line) as Entry;
  } catch (cause) {
    throw new DamagedJournal(`line ${at + 1} is not JSON`, { cause });
  }
}

export function openJournal(file: string): Journal {
  let descriptor: number | undefined = openSync(file, 'a', 0o600);
  const open = () => {
    // The descriptor of a closed file may belong to another file by now.
    if (descriptor === undefined) throw new Error('the journal is closed');
    return descriptor;
  };
  const close = () => {
    if (descriptor !== undefined) closeSync(descriptor);
    descriptor = undefined;
  };
  return {
    append(entry) {
      const { size } = fstatSync(open());
      try {
        writeFileSync(open(), lineOf(entry));
      } catch (error) {
        // The chain is ahead of its journal: nothing may follow, and half a line must not stay.
        ftruncateSync(open(), size);
        close();
        throw error;
      }
    },
    position: () => fstatSync(open()).size,
    rewind: (position) => ftruncateSync(open(), position),
    restart(genesis) {
      open();
      const next = `${file}.next`;
      rmSync(next, { force: true });
      const written = openSync(next, 'a', 0o600);
      try {
        writeFileSync(written, lineOf(genesis));
        fsyncSync(written);
        renameSync(next, file);
      } catch (error) {
        closeSync(written);
        throw error;
      }
      close();
      descriptor = written;
    },
    close,
  };
}

const lineOf = (entry: Entry) => `${JSON.stringify(entry)}\n`;

/** For a chain that lives as long as its process. */
export const noJournal: Journal = {
  append: () => {},
  position: () => 0,
  rewind: () => {},
  restart: () => {},
  close: () => {},
};
