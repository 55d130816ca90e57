import { unescape as decodePercents } from 'node:querystring';
import { isObject } from '#platform/values/is-object';

export interface NodeCall {
  rpcUrl: string;
  method: string;
  params?: unknown[];
  timeoutMs: number;
}

export interface RpcCall {
  method: string;
  params: unknown[];
}

interface NodeErrorFacts {
  code?: number;
  said?: string;
  data?: string;
  isAnswer?: boolean;
  isOverloaded?: boolean;
  cause?: unknown;
}

/** Why a call failed. It omits the URL, because the URL of a hosted node contains the account's key. */
export class NodeError extends Error {
  override name = 'NodeError';
  /** The node's error code; absent if the node did not answer. */
  readonly code: number | undefined;
  /** The node's error message. */
  readonly said: string | undefined;
  /** What a reverted call returned, in hexadecimal. */
  readonly data: string | undefined;
  /** The node refused the call; otherwise the outcome is unknown. */
  readonly isAnswer: boolean;
  /** The transport failed or the node is rate limiting: send the next call elsewhere. */
  readonly isOverloaded: boolean;

  constructor(message: string, facts: NodeErrorFacts = {}) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.said = facts.said;
    this.data = facts.data;
    this.isAnswer = facts.isAnswer ?? false;
    this.isOverloaded = facts.isOverloaded ?? false;
  }
}

interface Answer {
  id?: unknown;
  result?: unknown;
  error?: unknown;
}

interface HttpAnswer {
  status: number;
  text: string;
}

const callsInArray = 100;
const longestWords = 300;

/** One JSON-RPC call. The caller gives the result type of the method's specification. */
export async function callNode<Result>({
  rpcUrl,
  method,
  params = [],
  timeoutMs,
}: NodeCall): Promise<Result> {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const http = await post(rpcUrl, body, method, timeoutMs);
  const answer = parseJson(http.text);
  if (!isObject(answer)) throw notJsonRpc(method, http);
  const result = resultOf(method, answer, http, rpcUrl);
  if (result instanceof NodeError) throw result;
  return result as Result;
}

/**
 * Many calls, in batches of a size that hosted nodes accept, one after another. Returns a result or a
 * `NodeError` for each call, in order. Never rejects.
 */
export async function batchNode(
  rpcUrl: string,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<unknown[]> {
  const results: unknown[] = [];
  while (results.length < calls.length) {
    const part = calls.slice(results.length, results.length + callsInArray);
    try {
      results.push(...(await sendArray(rpcUrl, part, timeoutMs)));
    } catch (error) {
      // The node is down: skip the remaining batches, because each would take the whole timeout again.
      const left = calls.slice(results.length);
      results.push(...left.map(({ method }) => againFor(method, error as NodeError)));
    }
  }
  return results;
}

async function sendArray(rpcUrl: string, calls: readonly RpcCall[], timeoutMs: number): Promise<unknown[]> {
  if (calls.length === 1) {
    const only = { ...calls[0]!, rpcUrl, timeoutMs };
    return [await callNode<unknown>(only).catch((error: NodeError) => error)];
  }
  const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }));
  const http = await post(rpcUrl, body, calls[0]!.method, timeoutMs);
  const answers = parseJson(http.text);
  if (!Array.isArray(answers)) return calls.map(({ method }) => refusedArray(method, answers, http, rpcUrl));
  // Answers come in any order. If one call has two answers, neither is used.
  const answersById = Map.groupBy(answers.filter(isObject), ({ id }) => String(id));
  return calls.map(({ method }, id) => {
    const [answer, another] = answersById.get(String(id)) ?? [];
    if (!answer || another) return new NodeError(`${method}: the node left it out of its answers`);
    return resultOf(method, answer, http, rpcUrl);
  });
}

/** The node refused the whole batch, for its length or rate: no call in it was answered. */
function refusedArray(method: string, answer: unknown, http: HttpAnswer, rpcUrl: string): NodeError {
  const error = isObject(answer) ? resultOf(method, answer, http, rpcUrl) : undefined;
  if (!(error instanceof NodeError) || !error.isAnswer) return notJsonRpc(method, http);
  const { message, code, said, isOverloaded } = error;
  return new NodeError(message, { code, said, isOverloaded });
}

function againFor(method: string, { message, isOverloaded, cause }: NodeError): NodeError {
  return new NodeError(message.replace(/^\w+/, method), { isOverloaded, cause });
}

async function post(rpcUrl: string, body: unknown, method: string, timeoutMs: number): Promise<HttpAnswer> {
  const { url, authorization } = splitCredentials(rpcUrl);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
    return { status: response.status, text: await response.text() };
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
    const reason = isLate ? `no answer within ${timeoutMs} ms` : 'the node cannot be reached';
    throw new NodeError(`${method}: ${reason}`, { isOverloaded: true, cause });
  }
}

/** `fetch` refuses a URL with credentials and repeats the URL in its error. */
function splitCredentials(rpcUrl: string): { url: string; authorization?: string } {
  const url = new URL(rpcUrl);
  if (url.username === '' && url.password === '') return { url: rpcUrl };
  const pair = `${decodePercents(url.username)}:${decodePercents(url.password)}`;
  url.username = '';
  url.password = '';
  return { url: url.href, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Some nodes send the explaining error with a status other than 200. */
function resultOf(method: string, answer: Answer, { status }: HttpAnswer, rpcUrl: string): unknown {
  const isOverloaded = isOverload(status);
  if (isObject(answer.error)) {
    const { code, message, data } = answer.error as { code?: unknown; message?: unknown; data?: unknown };
    const words = typeof message === 'string' ? message : 'an error without a message';
    const said = words
      .replaceAll(rpcUrl, '…')
      .replace(/\p{Cc}+/gu, ' ')
      .slice(0, longestWords);
    return new NodeError(`${method}: ${said}`, {
      ...(typeof code === 'number' && { code }),
      ...(typeof data === 'string' && { data }),
      said,
      isAnswer: true,
      isOverloaded,
    });
  }
  if (answer.result === undefined) {
    return new NodeError(`${method}: the node answered without a result`, { isOverloaded });
  }
  return answer.result;
}

function notJsonRpc(method: string, { status }: HttpAnswer): NodeError {
  const message = `${method}: the node answered with status ${status} and no JSON-RPC`;
  return new NodeError(message, { isOverloaded: isOverload(status) });
}

const isOverload = (status: number) => status === 429 || status >= 500;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
