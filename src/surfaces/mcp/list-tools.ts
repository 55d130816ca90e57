import type { Tool } from '#platform/commands/tool';
import { publishInput, publishOutput } from './publish-schema.ts';
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
    const { outputSchema: _, annotations, ...rest } = line;
    // Before 2025-06-18, titles are annotations.
    const older = { ...rest, annotations: { title: tool.title, ...annotations } };
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
    inputSchema: publishInput(input),
    outputSchema: publishOutput(output),
    annotations: {
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      // Of tools that only read, the protocol gives it no meaning.
      ...(!readOnly && { idempotentHint: idempotent }),
      openWorldHint: openWorld,
    },
  };
}
