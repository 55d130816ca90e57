import type { ClientDocument } from './prune-document.ts';

interface Row {
  code: string;
  status: number;
  message: string;
}

/** One class for each row of the error tables, and the table by which an answer finds its class. */
export function writeErrors(document: ClientDocument, common: readonly Row[]): string {
  const byCode = Map.groupBy([...rowsOf(document), ...common], ({ code }) => code);
  const rows = [...byCode.keys()].sort().map((code) => ({ code, rows: byCode.get(code)! }));
  const classes = rows.map(({ code, rows }) => {
    const status = [...new Set(rows.map((row) => row.status))].join(', ');
    const message = rows.length === 1 || new Set(rows.map((row) => row.message)).size === 1;
    const words = message ? `\`${rows[0]!.message}\`` : 'with a message that names the fault';
    return `/** ${status}: ${words} */
export class ${classOf(code)} extends CausewayError {
  declare readonly code: '${code}';
}
`;
  });
  const table = rows.map(({ code }) => `  ${code}: ${classOf(code)},\n`).join('');
  return `import { CausewayError } from '../causeway-error.ts';

${classes.join('\n')}
export const errorClasses = {
${table}} as const;
`;
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
