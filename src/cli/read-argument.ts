import { readFileSync } from 'node:fs';
import { UsageFault } from './exit-codes.ts';

/** A JSON argument: the text, `@file`, or `-` for standard input. */
export function readJson(flag: string, given: string): unknown {
  const isFile = given === '-' || given.startsWith('@');
  const text = isFile ? readBytes(flag, given, 'JSON').toString('utf8') : given;
  try {
    return JSON.parse(text);
  } catch (error) {
    const where = isFile
      ? `${given === '-' ? 'Standard input' : given.slice(1)} is not JSON`
      : 'It is not JSON';
    throw new UsageFault(
      `--${flag} must be JSON, @file.json, or - for standard input. ${where}: ${(error as Error).message.split('\n')[0]}.`,
    );
  }
}

/** A file as an argument, in base64: `@file`, or `-` for standard input. */
export function readFileArgument(flag: string, given: string): string {
  if (given !== '-' && !given.startsWith('@'))
    throw new UsageFault(`--${flag} must be @ and the name of a file, or - for standard input.`);
  return readBytes(flag, given, 'content').toString('base64');
}

function readBytes(flag: string, given: string, what: string): Buffer {
  const file = given.slice(1);
  if (given === '-' && process.stdin.isTTY) console.error(`Type the ${what} of --${flag}, then Ctrl-D.`);
  try {
    return readFileSync(given === '-' ? process.stdin.fd : file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageFault(`--${flag}: ${given === '-' ? 'standard input' : file} cannot be read: ${reason}.`);
  }
}
