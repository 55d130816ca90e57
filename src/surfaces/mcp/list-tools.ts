import type { TSchema } from 'typebox';
import type { Tool } from '#platform/commands/tool';
import type { Dialect } from './revisions.ts';

/**
 * The lines of `tools/list` that a key may see, as JSON: in the order of the list, the same for the same
 * scopes and dialect.
 */
export function createToolList(
  tools: readonly Tool[],
): (scopes: readonly string[], dialect: Pick<Dialect, 'listsOutput'>) => string {
  const lines = tools.map((tool) => {
    const line = presentTool(tool);
    const { outputSchema: _, ...older } = line;
    return { scope: tool.scope, text: JSON.stringify(line), older: JSON.stringify(older) };
  });
  return (scopes, { listsOutput }) => {
    const seen = lines.filter(({ scope }) => scopes.includes(scope));
    return `[${seen.map(({ text, older }) => (listsOutput ? text : older))}]`;
  };
}

function presentTool({ name, title, description, hints, input, output }: Tool) {
  const { readOnly, destructive, idempotent, openWorld } = hints;
  return {
    name,
    title,
    description,
    inputSchema: spellOut(input),
    outputSchema: spellOut(output),
    annotations: {
      title,
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    },
  };
}

/** Some hosts refuse an enum without a type. */
function spellOut(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value) =>
    Array.isArray(value?.enum) && value.type === undefined && value.enum.every(isString)
      ? { type: 'string', ...value }
      : value,
  );
}

const isString = (value: unknown) => typeof value === 'string';
