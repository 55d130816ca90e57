export interface NodeCall {
  rpcUrl: string;
  method: string;
  params?: unknown[];
  timeoutMs: number;
}

/** What went wrong with a call. The URL is left out of it: that of a hosted node holds the account's key. */
export class NodeError extends Error {
  override name = 'NodeError';
  /** The node's own code; absent where the node did not answer the call. */
  readonly code: number | undefined;

  constructor(message: string, options: { code?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = options.code;
  }
}

interface Answer {
  result?: unknown;
  error?: { code: number; message: string };
}

/** One JSON-RPC call. The caller names the type of the result, as the method's specification gives it. */
export async function callNode<Result>({
  rpcUrl,
  method,
  params = [],
  timeoutMs,
}: NodeCall): Promise<Result> {
  const answer = await ask({ rpcUrl, method, params, timeoutMs });
  if (answer.error) throw new NodeError(`${method}: ${answer.error.message}`, { code: answer.error.code });
  if (answer.result === undefined) throw new NodeError(`${method}: the node answered without a result`);
  return answer.result as Result;
}

async function ask({ rpcUrl, method, params, timeoutMs }: NodeCall): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  let status: number;
  let text: string;
  try {
    const headers = { 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(rpcUrl, { method: 'POST', headers, body, signal, redirect: 'error' });
    status = response.status;
    text = await response.text();
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
    const reason = isLate ? `no answer within ${timeoutMs} ms` : 'the node cannot be reached';
    throw new NodeError(`${method}: ${reason}`, { cause });
  }
  // Some nodes send the error that explains it with a status other than 200.
  const answer = parseAnswer(text);
  if (!answer) throw new NodeError(`${method}: the node answered with status ${status} and no JSON-RPC`);
  return answer;
}

function parseAnswer(text: string): Answer | undefined {
  try {
    const answer = JSON.parse(text);
    return typeof answer === 'object' && answer !== null && !Array.isArray(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}
