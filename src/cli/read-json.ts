import { readFileSync } from 'node:fs';
import { UsageFault } from './exit-codes.ts';

/** A JSON argument: the text, `@file`, or `-` for standard input. */
export function readJson(flag: string, given: string): unknown {
  const isFile = given === '-' || given.startsWith('@');
  const text = isFile ? readText(flag, given) : given;
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

function readText(flag: string, given: string): string {
  const file = given.slice(1);
  if (given === '-' && process.stdin.isTTY) console.error(`Type the JSON of --${flag}, then Ctrl-D.`);
  try {
    return readFileSync(given === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : message;
    throw new UsageFault(`--${flag}: ${given === '-' ? 'standard input' : file} cannot be read: ${reason}.`);
  }
}
