import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { Download } from '../http/download.ts';

/** How a check ended, as one line. Texts may name fields of the answer: `{lines} lines`. */
export interface Verdict {
  /** The field of the answer that is true, or an empty list, if the check found no fault. */
  passesIf: string;
  passed: string;
  failed: string;
  /** A worker goes on first, while this field of the answer has a value: no fault, and nothing is proven. */
  unfinished?: { while: string; text: string };
}

/** What to do after work that is done in parts, or that a worker goes on with. It is no fault. */
export interface Outlook {
  /** The field of the answer that counts what is left, if the work is done in parts. */
  left?: string;
  done: string;
  /** While something is left. */
  more?: string;
}

/** A long check answers in parts: call it again with `input` set to `output`, until that is null. */
export interface Parts {
  input: string;
  output: string;
}

/**
 * An operator command as data. One entry becomes `POST /operator/<name>`, `causeway <feature> <command>` and
 * a section of the OpenAPI document.
 */
export interface Command<Ctx = unknown> {
  /** `feature.command`, or one word. */
  name: string;
  summary: string;
  input: TObject;
  output: TSchema;
  /** Writes an audit row in its own transaction. */
  changes: boolean;
  /** Changes nothing that is audited, and yet writes, or looks at the server itself: no replica answers. */
  needsPrimary?: true;
  /** Who may run it besides administrators, by the names of their roles. */
  roles: readonly string[];
  /** Moves money or grants access: a signed-in person must have used a passkey within the last minutes. */
  stepUp?: true;
  /** Larger than the usual body limit, for commands that take many records. */
  bodyBytesMax?: number;
  /** Answers with a file of one of these types instead of JSON; `run` returns a `Download`. */
  fileTypes?: readonly string[];
  /** Fields that the CLI also takes without a flag, in this order. Default: the required ids. */
  positional?: readonly string[];
  /** Arguments that work as they are, for help. Default: one of the required fields, by their names. */
  examples?: readonly string[];
  /** Of a list: the important fields, which a table shows first; the others follow where there is room. */
  columns?: readonly string[];
  /** Its `items` are checks with `check`, `state`, `seen` and `advice`: the CLI shows one below another. */
  isChecklist?: boolean;
  /** The CLI does not require a database that answers and has this release's schema. */
  worksWithoutDatabase?: boolean;
  /** For a check: if it found a fault, the CLI exits with 1. */
  verdict?: Verdict;
  /** The CLI ends with this line, and exits with 0. */
  outlook?: Outlook;
  parts?: Parts;
  run(ctx: Ctx, input: never): Promise<unknown>;
}

/** Checks that `run` accepts what `input` describes and returns what `output` describes. */
export function defineCommand<Ctx, I extends TObject, O extends TSchema>(
  command: Omit<Command<Ctx>, 'input' | 'output' | 'run'> & {
    input: I;
    output: O;
    run(ctx: Ctx, input: Static<I>): Promise<Static<O>>;
  },
): Command<Ctx> {
  return command;
}

/** A command whose answer is a file; the CLI writes it to disk. */
export function defineFileCommand<Ctx, I extends TObject>(
  command: Omit<Command<Ctx>, 'input' | 'output' | 'run'> & {
    input: I;
    fileTypes: readonly string[];
    run(ctx: Ctx, input: Static<I>): Promise<Download>;
  },
): Command<Ctx> {
  return { ...command, output: Type.Unsafe<string>({ type: 'string', format: 'binary' }) };
}
