import type { Ctx, KeyActor } from '#context';
import type { Tool } from '#platform/commands/tool';
import { Refusal } from '#platform/errors/errors';
import { lazyValidator } from '#platform/http/lazy-validator';
import type { Metrics } from '#platform/observe/metrics';
import { isObject } from '#platform/values/is-object';
import { sanitizeText } from '#platform/values/sanitize-text';
import { describeFaults } from './describe-faults.ts';
import { mcpErrors } from './errors.ts';
import type { JsonObject } from './message.ts';

/** A tool's result as JSON: the payload, or a text that says what was wrong. */
export type ToolResult = { payload: string } | { refusal: string };

export interface ToolCaller {
  call(ctx: Ctx<KeyActor>, name: string, args: unknown): Promise<ToolResult>;
  has(name: string): boolean;
}

type KeyTool = Tool<Ctx<KeyActor>>;

/** Every tool by its name, its arguments checked by a validator that is compiled once. */
export function createToolCaller(tools: readonly KeyTool[], count: Metrics['countToolCall']): ToolCaller {
  const byName = new Map(tools.map((tool) => [tool.name, { tool, run: createRun(tool) }]));
  return {
    has: (name) => byName.has(name),
    async call(ctx, name, args = {}) {
      const known = byName.get(name);
      if (!known) throw mcpErrors.unknownTool({ message: `Unknown tool: ${sanitizeText(name, 100)}` });
      requireScopeOf(known.tool, ctx.actor.scopes, args);
      try {
        const result = await known.run(ctx, args);
        count(name, 'payload' in result ? 'done' : 'refused');
        return result;
      } catch (error) {
        count(name, 'failed');
        throw error;
      }
    },
  };
}

function createRun(tool: KeyTool): (ctx: Ctx<KeyActor>, args: unknown) => Promise<ToolResult> {
  const { name, scope } = tool;
  const validator = lazyValidator(tool.input);
  const known = Object.keys(tool.input.properties);
  return async (ctx, args) => {
    if (!ctx.actor.scopes.includes(scope)) {
      return { refusal: `The API key lacks the scope ${scope}, which ${name} needs: use a key that has it.` };
    }
    if (!validator.check(args)) return { refusal: describeFaults(name, validator.errors(args), known) };
    try {
      return { payload: JSON.stringify(await tool.run(ctx, args as never)) };
    } catch (error) {
      if (error instanceof Refusal) return { refusal: describeRefusal(error) };
      throw error;
    }
  };
}

/** Checked before the arguments: a caller without the scope learns nothing about them. */
function requireScopeOf({ scopeFor }: KeyTool, scopes: readonly string[], args: unknown): void {
  const scope = scopeFor && isObject(args) ? scopeFor(args as JsonObject) : undefined;
  if (scope !== undefined && !scopes.includes(scope)) {
    throw mcpErrors.revealScopeMissing({ message: `The key lacks the ${scope} scope` });
  }
}

/** The message, the details and the wait, which other surfaces send in a header. */
function describeRefusal({ message, details = [], headers = {} }: Refusal): string {
  const waitSeconds = headers['retry-after'];
  const sentences = [
    message,
    ...details
      .filter((detail) => !message.includes(detail.message))
      .map(({ field, message }) => `${field} ${message}`),
    ...(waitSeconds === undefined ? [] : [`Try again in ${waitSeconds} seconds`]),
  ];
  return `${sentences.map((sentence) => sentence.replace(/\.$/, '')).join('. ')}.`;
}
