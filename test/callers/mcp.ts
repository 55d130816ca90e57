import type { Answer, Harness } from '#test/harness';

/** Exactly what the contract requires: no handshake, no MCP header, no Accept. */
export function callPlain(
  harness: Harness,
  token: string | undefined,
  name: string,
  args: object = {},
): Promise<Answer> {
  return postMessage(harness, { token }, toolCall(name, args));
}

export const toolCall = (name: string, args: unknown = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

export function postMessage(
  harness: Harness,
  { token, headers }: { token?: string; headers?: Record<string, string> },
  message: unknown,
): Promise<Answer> {
  return harness.request('POST', '/mcp', { token, headers, body: message });
}

const metaPrefix = 'io.modelcontextprotocol';

/** A message and headers as clients of the revision of 2026 send them. */
export function modernRequest(method: string, params: Record<string, unknown> = {}, id: unknown = 1) {
  const named = method === 'resources/read' ? params.uri : params.name;
  return {
    message: {
      jsonrpc: '2.0',
      id,
      method,
      params: {
        ...params,
        _meta: {
          [`${metaPrefix}/protocolVersion`]: '2026-07-28',
          [`${metaPrefix}/clientInfo`]: { name: 'test', version: '1' },
          [`${metaPrefix}/clientCapabilities`]: {},
        },
      },
    },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof named === 'string' && { 'mcp-name': named }),
    } as Record<string, string>,
  };
}

/** The payload of a tool's result, as the contract's caller reads it. */
export function payloadOf({ body }: Answer) {
  if (body.result?.isError) throw new Error(`the tool refused: ${body.result.content[0].text}`);
  if (body.error) throw new Error(`refused: ${body.error.message}`);
  return JSON.parse(body.result.content[0].text);
}
