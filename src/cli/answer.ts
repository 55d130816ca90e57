import { existsSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { UsageFault } from '../command-line.ts';

/** What a server answered, wherever it is; its body is read once. */
export interface Answer {
  /** Whose answer it is, for a sentence about it. */
  from: string;
  status: number;
  headers: Headers;
  body: Readable;
}

/** What a person at the terminal can act on. */
export class CommandFault extends Error {}

/** What a command answers, or its refusal as a fault. */
export async function readData({ from, status, body }: Answer): Promise<unknown> {
  const answer: { data?: unknown; error?: string; details?: { field: string; message: string }[] } =
    await json(body)
      .catch(() => undefined)
      .then((answer) => answer ?? {});
  const { data, error, details = [] } = answer;
  if (error !== undefined) {
    throw new CommandFault(
      [error, ...details.slice(1).map(({ field, message }) => `${field} ${message}`)].join('\n'),
    );
  }
  if (data === undefined) throw foreign(from, status);
  return data;
}

const foreign = (from: string, status: number) =>
  new CommandFault(`${from} is no Causeway server: it answers with HTTP ${status} and something else.`);

/** Writes to the file of `--out`; without one, to standard output, or from a terminal into this folder. */
export async function saveFile(answer: Answer, out = process.stdout.isTTY ? undefined : '-'): Promise<void> {
  const { from, status, headers, body } = answer;
  const offered = /filename="([\w.-]+)"/.exec(headers.get('content-disposition') ?? '')?.[1];
  if (status !== 200 || !offered) {
    await readData(answer);
    throw foreign(from, status);
  }
  const broken = (error: Error) => new CommandFault(`The file broke off: ${reasonOf(error)}.`);
  if (out === '-') {
    return pipeline(body, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw broken(error);
    });
  }
  // Under another name until it is whole. A name that nobody typed never replaces a file.
  const file = out ?? path.basename(offered);
  if (out === undefined && existsSync(file)) throw new UsageFault(`There is a ${file} already: give --out.`);
  const partial = `${file}.part`;
  const handle = await open(partial, 'w').catch((error: Error) => {
    body.destroy();
    throw new CommandFault(`${file} cannot be written: ${error.message}.`);
  });
  try {
    await pipeline(body, handle.createWriteStream());
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw broken(error as Error);
  }
  console.log(`Wrote ${file}.`);
}

/** `fetch` hides the reason in its cause, which has no message where a name has several addresses. */
export function reasonOf({ cause, message }: Error): string {
  if (!(cause instanceof Error)) return message;
  return cause.message || (cause as NodeJS.ErrnoException).code || message;
}
