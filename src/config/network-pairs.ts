import { type Network, networks } from '#adapters/evm';
import { itemsOf } from './parsers.ts';
import type { Reading } from './setting.ts';

export const isNetwork = (text: string): text is Network => (networks as string[]).includes(text);
export const knownNetworks = `the networks are ${networks.join(', ')}`;

/** `network:value` pairs; the value itself may hold colons. */
export function parseNetworkPairs<Value>(
  { name, text, fault }: Reading,
  { form, parse }: { form: string; parse(text: string): Value | undefined },
): ReadonlyMap<Network, Value> {
  const values = new Map<Network, Value>();
  for (const item of itemsOf(text)) {
    const [, network = '', rest = ''] = /^([a-z]+):(\S+)$/.exec(item) ?? [];
    const value = parse(rest);
    if (!isNetwork(network) || value === undefined) fault(`${name} must be ${form}; ${knownNetworks}.`);
    else if (values.has(network)) fault(`${name} has ${network} more than once.`);
    else values.set(network, value);
  }
  return values;
}
