import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { Download } from '../http/download.ts';

/**
 * An operator command as data. One entry becomes `POST /operator/<name>`, `causeway <feature> <command>` and
 * a section of the OpenAPI document.
 */
export interface Command<Ctx = unknown> {
  /** `feature.command`. */
  name: string;
  summary: string;
  input: TObject;
  output: TSchema;
  /** Writes an audit row in its own transaction. */
  changes: boolean;
  /** Larger than the usual body limit, for commands that take many records. */
  bodyBytesMax?: number;
  /** Answers with a file of one of these types instead of JSON; `run` returns a `Download`. */
  fileTypes?: readonly string[];
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
