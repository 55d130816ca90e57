import { readFileSync } from 'node:fs';
import { errorCode, reasonOf } from '#platform/errors/startup-error';

/** One environment variable: all that is known about it stands in one place. */
export interface Setting {
  meaning: string;
  /** Undefined means that there is no default: it must be given where it is used. */
  default?: string;
  /** Its form, unless the default shows it. One with `<…>` is refused: nobody runs with a public secret. */
  example?: string;
  /** Never printed; may come from a file instead, named by `<NAME>_FILE`. */
  secret?: true;
  /** The value; `given` is what it needs to know of other settings. */
  parse(reading: Reading, ...given: never[]): unknown;
}

/** What a parser receives. It always returns a value, also after a fault: all faults are reported at once. */
export interface Reading {
  name: string;
  /** Without spaces around it; empty if the setting is missing. */
  text: string;
  fault(sentence: string): void;
  /** For a setting that only some processes need. */
  faultMissing(): void;
}

export type Parser<Value> = (reading: Reading) => Value;
export type Environment = Readonly<Record<string, string | undefined>>;

/** All faults of the environment at once, each a sentence that names its variable. */
export class ConfigFault extends Error {
  override readonly name = 'ConfigFault';
  readonly faults: string[];
  constructor(faults: string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** Reads a variable, the file that `<NAME>_FILE` names, or the default. Throws a `ConfigFault`. */
export function readerOf<Name extends string>(settings: Readonly<Record<Name, Setting>>) {
  return (env: Environment, name: Name): string | undefined => {
    const setting = settings[name];
    const file = setting.secret ? env[`${name}_FILE`] : undefined;
    return file ? readSettingFile(`${name}_FILE`, file) : env[name]?.trim() || setting.default;
  };
}

const fileFaults: Record<string, string> = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };

/** Never falls back on the plain variable: an operator who names a file does not expect another secret. */
function readSettingFile(variable: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const reason = fileFaults[errorCode(error) ?? ''] ?? reasonOf(error);
    throw new ConfigFault([`${variable} names ${file}, which cannot be read: ${reason}.`]);
  }
  if (text === '') throw new ConfigFault([`${variable} names ${file}, which is empty.`]);
  return text;
}
