import type { RefusalOptions } from '#platform/errors/errors';

/** A JSON-RPC error: code and message of its body, and the HTTP status. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly status: number;
  readonly code: number;
  readonly data: object | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(status: number, code: number, message: string, options: RpcErrorOptions = {}) {
    super(options.message ?? message, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.data = options.data;
    this.headers = options.headers;
  }
}

export interface RpcErrorOptions extends Pick<RefusalOptions, 'message' | 'headers' | 'cause'> {
  data?: object;
}

/**
 * Top to bottom: the first refusal wins. -32001, -32003, -32004 and -32005 are the contract's, those from
 * -32020 on the protocol's, the rest JSON-RPC's own; do not add others between -32000 and -32019.
 */
export const mcpErrors = defineRpcErrors({
  methodNotAllowed: [405, -32600, 'Send POST: this endpoint has no stream and no session'],
  originNotAllowed: [403, -32600, 'Origin is not allowed'],
  hostNotAllowed: [403, -32600, 'Host is not allowed'],
  unauthorized: [401, -32001, 'Unauthorized'],
  notJson: [400, -32700, 'Body is not valid JSON'],
  bodyTooLarge: [413, -32600, 'Request body is too large'],
  unsupportedMediaType: [415, -32600, 'Content-Type must be application/json'],
  batch: [400, -32600, 'Batch requests are not supported.'],
  addressNotAllowed: [403, -32004, 'The address of the caller is not on the list of the key'],
  mcpScopeMissing: [403, -32003, 'The key lacks the mcp scope'],
  rateLimitExceeded: [429, -32005, 'Rate limit exceeded'],
  invalidRequest: [400, -32600, 'Body must be one JSON-RPC 2.0 request or notification'],
  unsupportedVersion: [400, -32022, 'Unsupported protocol version'],
  envelopeIncomplete: [400, -32602, 'params._meta is incomplete'],
  headerMismatch: [400, -32020, 'Headers and body disagree'],
  methodNotFound: [200, -32601, 'Method not found'],
  // Revision 2026-07-28 requires status 404 for this error.
  methodNotFoundModern: [404, -32601, 'Method not found'],
  invalidParams: [200, -32602, 'params must be an object'],
  unknownTool: [200, -32602, 'Unknown tool'],
  unknownPrompt: [200, -32602, 'Unknown prompt'],
  resourceNotFound: [200, -32602, 'Resource not found'],
  resourceRefused: [200, -32602, 'Resource cannot be read'],
  revealScopeMissing: [403, -32003, 'The key lacks the mcp_card_reveal scope'],
  internalError: [200, -32603, 'Internal error'],
  unavailable: [503, -32603, 'Service unavailable'],
  unavailableForClients: [200, -32603, 'Service unavailable: try again later'],
});

function defineRpcErrors<T extends Record<string, readonly [status: number, code: number, message: string]>>(
  table: T,
): { [K in keyof T]: (options?: RpcErrorOptions) => RpcError } {
  const factories = {} as { [K in keyof T]: (options?: RpcErrorOptions) => RpcError };
  for (const [name, [status, code, message]] of Object.entries(table) as [keyof T, T[string]][]) {
    factories[name] = (options) => new RpcError(status, code, message, options);
  }
  return factories;
}
