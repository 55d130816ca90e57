import type { Static, TObject } from 'typebox';

/** Hints that a client may show or decide by before a call; every tool sets all four. */
export interface ToolHints {
  /** Changes nothing. */
  readOnly: boolean;
  /** May remove something that cannot be restored. */
  destructive: boolean;
  /** Repeating the call has no further effect. */
  idempotent: boolean;
  /** Reaches systems outside this service. */
  openWorld: boolean;
}

/** A tool for agents as data. One entry becomes a line of `tools/list` and a name for `tools/call`. */
export interface Tool<Ctx = unknown> {
  name: string;
  /** For people. */
  title: string;
  /** For the model: what it returns, when to use it, and the scope that it needs. */
  description: string;
  /** Keys without it do not see the tool. */
  scope: string;
  /** An additional scope that a call with these arguments needs; the arguments are not validated yet. */
  scopeFor?(args: Readonly<Record<string, unknown>>): string | undefined;
  hints: ToolHints;
  /** The root is a plain object: hosts refuse a whole list if one tool has alternatives there. */
  input: TObject;
  output: TObject;
  /** Returns the payload. A `Refusal` is sent to the model; anything else is an internal error. */
  run(ctx: Ctx, input: never): Promise<object>;
}

/** Checks that `run` accepts what `input` describes and returns what `output` describes. */
export function defineTool<Ctx, I extends TObject, O extends TObject>(
  tool: Omit<Tool<Ctx>, 'input' | 'output' | 'run'> & {
    input: I;
    output: O;
    run(ctx: Ctx, input: Static<I>): Promise<Static<O>>;
  },
): Tool<Ctx> {
  return tool;
}
