import { appendFileSync } from 'node:fs';

/** One call of an operator command, an MCP tool or an operation of the partners' reference by a test. */
export interface RecordedCall {
  kind: 'command' | 'tool' | 'operation';
  name: string;
  /** Of an operation with several answers, such as the features of the history. */
  example?: string;
  input: object;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent.
  body: any;
}

const file = process.env.CAUSEWAY_RECORD_CALLS;

/** If `CAUSEWAY_RECORD_CALLS` names a file, writes each call there; `npm run examples` reads it. */
export function recordCall(
  path: string,
  input: unknown,
  { status, body }: { status: number; body: unknown },
) {
  if (file === undefined || typeof input !== 'object' || input === null || typeof body !== 'object') return;
  const [, command] = /^\/operator\/([a-z.-]+)$/.exec(path) ?? [];
  const { method, params } = input as { method?: string; params?: { name: string; arguments?: object } };
  const call = command
    ? { kind: 'command', name: command, input }
    : path === '/mcp' && method === 'tools/call' && params
      ? { kind: 'tool', name: params.name, input: params.arguments ?? {} }
      : undefined;
  if (call) appendFileSync(file, `${JSON.stringify({ ...call, status, body })}\n`);
}

/** The same for an answer to a partner or an integration; `input` is the request's example, if it has one. */
export function recordAnswer(
  name: string,
  example: string,
  { status, body }: { status: number; body: unknown },
  input: object = {},
): void {
  if (file === undefined || status >= 300 || typeof body !== 'object') return;
  appendFileSync(file, `${JSON.stringify({ kind: 'operation', name, example, input, status, body })}\n`);
}
