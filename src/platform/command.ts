import type { Static, TObject, TSchema } from 'typebox';

/**
 * An operator command as data. One entry becomes `POST /operator/<name>`, `causeway <feature> <command>` and a section of
 * the OpenAPI document.
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
  run(ctx: Ctx, input: never): Promise<unknown>;
}

/** Checks that `run` takes what `input` describes and gives what `output` describes. */
export function defineCommand<Ctx, I extends TObject, O extends TSchema>(
  command: Omit<Command<Ctx>, 'input' | 'output' | 'run'> & {
    input: I;
    output: O;
    run(ctx: Ctx, input: Static<I>): Promise<Static<O>>;
  },
): Command<Ctx> {
  return command;
}
