import { errorCode } from '../errors/startup-error.ts';
import { addressCheck } from './addresses.ts';
import { type Agents, createAgents } from './agents.ts';
import { type FaultReason, OutgoingFault, OutgoingRefusal } from './errors.ts';
import { ClosedWhileKept, exchange, type Message, type OutgoingAnswer } from './exchange.ts';
import { type OutgoingPolicy, urlJudge } from './judge-url.ts';
import { checkedResolver, nameResolver, type ResolveName } from './resolve-name.ts';

export interface OutgoingPost extends Message {
  /** From the call to the last byte of the answer: name resolution, connection, TLS and both ways. */
  timeoutMs: number;
  /** Its reason is thrown. */
  signal?: AbortSignal;
}

/** Connections to addresses that somebody else named. */
export interface Outgoing {
  /**
   * Redirects are not followed. If the peer closes a kept connection before it answers, the request is sent
   * once more on a new one, so a request must be safe to repeat. Throws an `OutgoingRefusal` or
   * `OutgoingFault`.
   *
   * @example
   * const { status } = await outgoing.post('https://hooks.example.com/in', {
   *   headers: { 'content-type': 'application/json' },
   *   body: '{}',
   *   timeoutMs: 15_000,
   *   answerBytesMax: 4_096,
   * });
   */
  post(url: string, post: OutgoingPost): Promise<OutgoingAnswer>;
  /** Why a URL can never be called, in one sentence; undefined if it may be. It resolves no name. */
  refusal(url: string): string | undefined;
}

export function createOutgoing(policy: OutgoingPolicy, resolve: ResolveName = nameResolver()): Outgoing {
  const judge = urlJudge(policy);
  const agents = createAgents(checkedResolver(resolve, addressCheck(policy.allowedBlocks)));
  return {
    async post(text, post) {
      const url = judge(text);
      return withDeadline(post, (signal) =>
        exchangeTwice(url, post, agents[url.protocol as keyof typeof agents], signal),
      );
    },
    refusal(text) {
      try {
        judge(text);
        return undefined;
      } catch (error) {
        if (error instanceof OutgoingRefusal) return error.message;
        throw error;
      }
    },
  };
}

async function withDeadline<T>(
  { timeoutMs, signal }: OutgoingPost,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort(signal?.reason);
  const timeout = () =>
    stopping.abort(new OutgoingFault('timeout', `No whole answer within ${timeoutMs} ms.`));
  const timer = setTimeout(timeout, timeoutMs);
  signal?.addEventListener('abort', stop);
  try {
    if (signal?.aborted) stop();
    return await work(stopping.signal);
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : asFault(error as Error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** A peer may close a kept connection at the moment at which it is used again: that is no fault of either. */
async function exchangeTwice(
  url: URL,
  message: Message,
  { kept, single }: Agents,
  signal: AbortSignal,
): Promise<OutgoingAnswer> {
  try {
    return await exchange(url, message, { agent: kept, signal });
  } catch (error) {
    if (!(error instanceof ClosedWhileKept)) throw error;
    return exchange(url, message, { agent: single, signal });
  }
}

const messages: Record<Exclude<FaultReason, 'timeout' | 'dns'>, string> = {
  connection: 'The connection failed',
  tls: 'No secure connection could be made',
  protocol: 'The answer is not valid HTTP',
};

/**
 * Texts of the system's errors have addresses in them, and those of TLS have names: only the code is kept. A
 * TypeError is a header that the caller cannot send.
 */
function asFault(error: Error): Error {
  if (error instanceof OutgoingFault || error instanceof OutgoingRefusal || error instanceof TypeError)
    return error;
  const code = errorCode(error) ?? 'no code';
  const reason = faultKindOf(code);
  return new OutgoingFault(reason, `${messages[reason]} (${code}).`, { cause: error });
}

function faultKindOf(code: string): keyof typeof messages {
  if (code.startsWith('HPE_') || code.startsWith('ERR_HTTP')) return 'protocol';
  // Codes of the system have no underscore. OpenSSL reports a failed handshake as EPROTO, or in its words.
  return code.includes('_') || code === 'EPROTO' ? 'tls' : 'connection';
}
