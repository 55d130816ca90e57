import { appendFileSync } from 'node:fs';

/** One call of an operator command or an MCP tool by a test. */
export interface RecordedCall {
  kind: 'command' | 'tool';
  name: string;
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
