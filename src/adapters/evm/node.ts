import { batchNode, callNode, NodeError, type RpcCall } from './json-rpc.ts';

/** One JSON-RPC URL. Nothing is retried: the caller knows whether that is safe. */
export interface Provider {
  /** Throws a `NodeError`. */
  call<Result>(method: string, params: unknown[], timeoutMs?: number): Promise<Result>;
  /** A result or a `NodeError` for each call, in order. Never rejects. */
  batch(calls: readonly RpcCall[], timeoutMs?: number): Promise<(unknown | NodeError)[]>;
}

/** All JSON-RPC URLs of one network. */
export interface Node {
  providers: readonly Provider[];
  /** How many of them must agree before a payout is completed or failed, or a deposit is posted. */
  quorum: number;
  /**
   * The next node in rotation that did not fail recently; if all did, the one whose failure is oldest. For a
   * second opinion: another than `not`, if possible.
   */
  pick(not?: Provider): Provider;
  /**
   * Whether each URL answered its last call; undefined before the first. It waits for nothing: a URL that was
   * not called for 30 seconds is called in the background, and a later read has the answer.
   */
  endpoints(): readonly (boolean | undefined)[];
  /** How each URL is reached. The rest of a URL may contain the account's key. */
  transports: readonly Transport[];
}

export interface Transport {
  isEncrypted: boolean;
  hostname: string;
}

/** `refused`: the node answered with an error; `failed`: the outcome of the call is unknown. */
export type CallOutcome = 'ok' | 'refused' | 'failed';

export interface NodeOptions {
  rpcUrls: readonly string[];
  timeoutMs: number;
  /** Default 2, or 1 with one URL. */
  quorum?: number;
  onCall?: (method: string, outcome: CallOutcome) => void;
  /** What stands between callers and each node. */
  wrap?: (provider: Provider) => Provider;
}

const coolDownMs = 2_000;
const probeAfterMs = 30_000;
/** Short, because a process that stops waits for a probe. */
const probeTimeoutMs = 5_000;

interface Place {
  provider: Provider;
  failedAt: number;
  isUp: boolean | undefined;
  calledAt: number;
}

export function createNode({ rpcUrls, timeoutMs, quorum, onCall, wrap }: NodeOptions): Node {
  const places = rpcUrls.map((rpcUrl): Place => {
    const provider = createProvider({ rpcUrl, timeoutMs, onResults });
    const place: Place = {
      failedAt: Number.NEGATIVE_INFINITY,
      isUp: undefined,
      calledAt: Number.NEGATIVE_INFINITY,
      provider: wrap?.(provider) ?? provider,
    };
    function onResults(methods: readonly string[], results: readonly unknown[]) {
      const now = performance.now();
      if (results.some((result) => result instanceof NodeError && result.isOverloaded)) place.failedAt = now;
      if (results.length > 0) Object.assign(place, { isUp: results.some(isAnswered), calledAt: now });
      for (const [at, result] of results.entries()) onCall?.(methods[at]!, outcomeOf(result));
    }
    return place;
  });
  if (places.length === 0) throw new Error('a network needs a node');
  let turn = 0;
  const pick = (not?: Provider) => {
    const now = performance.now();
    const all = places.map((_, at) => places[(turn + at) % places.length]!);
    const others = all.filter(({ provider }) => provider !== not);
    const inTurn = others.length > 0 ? others : all;
    const next =
      inTurn.find(({ failedAt }) => now - failedAt >= coolDownMs) ??
      inTurn.reduce((best, place) => (place.failedAt < best.failedAt ? place : best));
    turn = places.indexOf(next) + 1;
    return next.provider;
  };
  return {
    providers: places.map(({ provider }) => provider),
    quorum: quorum ?? Math.min(2, places.length),
    pick,
    transports: rpcUrls.map((rpcUrl) => {
      const { protocol, hostname } = new URL(rpcUrl);
      return { isEncrypted: protocol === 'https:', hostname };
    }),
    endpoints: () => {
      places.forEach(probeSilent);
      return places.map(({ isUp }) => isUp);
    },
  };
}

function probeSilent(place: Place): void {
  const now = performance.now();
  if (now - place.calledAt < probeAfterMs) return;
  place.calledAt = now;
  place.provider.call('eth_blockNumber', [], probeTimeoutMs).catch(() => undefined);
}

/** In a batch, one answer is enough. A node that only says that it is overloaded is of no use. */
const isAnswered = (result: unknown) =>
  !(result instanceof NodeError) || (result.isAnswer && !result.isOverloaded);

function outcomeOf(result: unknown): CallOutcome {
  if (!(result instanceof NodeError)) return 'ok';
  return result.isAnswer ? 'refused' : 'failed';
}

interface ProviderOptions {
  rpcUrl: string;
  timeoutMs: number;
  onResults(methods: readonly string[], results: readonly unknown[]): void;
}

function createProvider({ rpcUrl, timeoutMs: usualTimeoutMs, onResults }: ProviderOptions): Provider {
  return {
    async call<Result>(method: string, params: unknown[], timeoutMs = usualTimeoutMs): Promise<Result> {
      try {
        const result = await callNode<Result>({ rpcUrl, method, params, timeoutMs });
        onResults([method], [result]);
        return result;
      } catch (error) {
        onResults([method], [error]);
        throw error;
      }
    },
    async batch(calls, timeoutMs = usualTimeoutMs) {
      const results = await batchNode(rpcUrl, calls, timeoutMs);
      onResults(
        calls.map(({ method }) => method),
        results,
      );
      return results;
    },
  };
}
