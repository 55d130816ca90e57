import type { Random } from './random.ts';

/** What can go wrong with a whole HTTP exchange, before or after the node has done what it was asked. */
export type TransportFault =
  | 'reset before'
  | 'reset after'
  | 'timeout after'
  | '500 after'
  | '502 after'
  | '429'
  | 'late';

/** What can go wrong with one call of it. */
export type CallFault =
  | 'already known'
  | 'nonce too low'
  | 'underpriced'
  | 'insufficient funds'
  | 'swallowed'
  | 'duplicated'
  | 'no receipt'
  | 'stale'
  | 'lie'
  | 'refused';

export type Fault = TransportFault | CallFault;

export interface FaultMix {
  /** The share of all calls that something is wrong with. */
  rate: number;
  /** The share of those where it is the whole exchange. */
  transportShare: number;
  transport: Partial<Record<TransportFault, number>>;
  /** For `eth_sendRawTransaction`. */
  send: Partial<Record<CallFault, number>>;
  /** For `eth_getTransactionReceipt`. */
  receipt: Partial<Record<CallFault, number>>;
  /** For everything else. */
  read: Partial<Record<CallFault, number>>;
}

/**
 * All of it. Whatever is asked in a row must have some chance to be answered, so most false reads are stale,
 * not refused.
 */
export const everyFault: FaultMix = {
  rate: 0.4,
  transportShare: 0.4,
  transport: {
    'reset before': 2,
    'reset after': 3,
    'timeout after': 2,
    '500 after': 2,
    '502 after': 2,
    '429': 1,
    late: 4,
  },
  send: {
    'already known': 2,
    'nonce too low': 2,
    underpriced: 2,
    'insufficient funds': 2,
    swallowed: 3,
    duplicated: 2,
  },
  receipt: { 'no receipt': 3, stale: 3, refused: 1 },
  read: { stale: 5, refused: 1 },
};

/** Chances of the two levels, such that both together make the rate. */
export function chancesOf({ rate, transportShare }: FaultMix): { transport: number; call: number } {
  const transport = rate * transportShare;
  return { transport, call: (rate - transport) / (1 - transport) };
}

export function chooseCallFault(mix: FaultMix, method: string, random: Random): CallFault | undefined {
  const kinds =
    method === 'eth_sendRawTransaction'
      ? mix.send
      : method === 'eth_getTransactionReceipt'
        ? mix.receipt
        : mix.read;
  if (Object.keys(kinds).length === 0 || !random.chance(chancesOf(mix).call)) return undefined;
  return random.weighted(kinds);
}

export function chooseTransportFault(mix: FaultMix, random: Random): TransportFault | undefined {
  if (Object.keys(mix.transport).length === 0 || !random.chance(chancesOf(mix).transport)) return undefined;
  return random.weighted(mix.transport);
}
