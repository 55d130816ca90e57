import type { ClientDocument } from './prune-document.ts';

export interface Row {
  code: string;
  status: number;
  message: string;
}

/** One class for each row of the error tables, and the table by which an answer finds its class. */
export function writeErrors(document: ClientDocument, common: readonly Row[]): string {
  const rows = rowsByCode(document, common);
  const classes = rows.map(
    ({ code, words }) => `/** ${words} */
export class ${classOf(code)} extends CausewayError {
  declare readonly code: '${code}';
}
`,
  );
  const table = rows.map(({ code }) => `  ${code}: ${classOf(code)},\n`).join('');
  return `import { CausewayError } from '../causeway-error.ts';

${classes.join('\n')}
export const errorClasses = {
${table}} as const;
`;
}

/** Each code once, with its status and message in words. */
export function rowsByCode(document: ClientDocument, common: readonly Row[]) {
  const byCode = Map.groupBy([...rowsOf(document), ...common], ({ code }) => code);
  return [...byCode.keys()].sort().map((code) => {
    const rows = byCode.get(code)!;
    const status = [...new Set(rows.map((row) => row.status))].join(', ');
    const messages = new Set(rows.map(({ message }) => message));
    const words = messages.size === 1 ? `\`${rows[0]!.message}\`` : 'with a message that names the fault';
    return { code, words: `${status}: ${words}` };
  });
}

/** The rows are the examples of the answers; those of MCP have another shape. */
export function rowsOf({ paths }: ClientDocument): Row[] {
  const operations = Object.entries(paths)
    .filter(([url]) => url !== '/mcp')
    .flatMap(([, methods]) => Object.values(methods));
  return operations.flatMap(({ responses }) =>
    Object.entries<{ content?: Record<string, { examples?: object }> }>(responses)
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, { content }]) =>
        Object.values<{ value: { code: string; error: string } }>(
          (content?.['application/json']?.examples ?? {}) as never,
        ).map(({ value: { code, error } }) => ({ code, status: Number(status), message: error })),
      ),
  );
}

/** `user_not_found` is `UserNotFoundError`, and `internal_error` is `InternalError`. */
export function classOf(code: string): string {
  const words = code.split('_').map((word) => word[0]!.toUpperCase() + word.slice(1));
  return `${words.join('')}${words.at(-1) === 'Error' ? '' : 'Error'}`;
}
