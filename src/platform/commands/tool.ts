import type { Static, TObject } from 'typebox';

/** What a client may tell its user, and may decide by, before it calls: all four are said for every tool. */
export interface ToolHints {
  /** Changes nothing. */
  readOnly: boolean;
  /** May take something away that cannot be had back. */
  destructive: boolean;
  /** The same call again changes nothing more. */
  idempotent: boolean;
  /** Reaches beyond what this service itself keeps. */
  openWorld: boolean;
}

/** A tool for agents as data. One entry becomes a line of `tools/list` and a name that `tools/call` takes. */
export interface Tool<Ctx = unknown> {
  name: string;
  /** For people. */
  title: string;
  /** For the model: what it gives, when to use it, and the scope that it needs. */
  description: string;
  /** Whoever lacks it does not see the tool. */
  scope: string;
  /** A further scope that a call with these arguments needs; they are as they came, of any shape. */
  scopeFor?(args: Readonly<Record<string, unknown>>): string | undefined;
  hints: ToolHints;
  /** The root is a plain object: hosts refuse a whole list for one with alternatives there. */
  input: TObject;
  output: TObject;
  /** What it gives is the payload; a `Refusal` is told to the model, anything else is an internal error. */
  run(ctx: Ctx, input: never): Promise<object>;
}

/** Checks that `run` takes what `input` describes and gives what `output` describes. */
export function defineTool<Ctx, I extends TObject, O extends TObject>(
  tool: Omit<Tool<Ctx>, 'input' | 'output' | 'run'> & {
    input: I;
    output: O;
    run(ctx: Ctx, input: Static<I>): Promise<Static<O>>;
  },
): Tool<Ctx> {
  return tool;
}
