import {
  type Finality,
  hotWalletsMax,
  type Network,
  networks,
  type PrivateKey,
  parseFinality,
  parsePrivateKey,
} from '#adapters/evm';
import { parseMinor } from '#platform/values/money';
import { isNetwork, knownNetworks, parseNetworkPairs } from '../network-pairs.ts';
import { asOneOf, itemsOf } from '../parsers.ts';
import type { Reading, Setting } from '../setting.ts';

/** With which keys and from which database withdrawals are paid, at which fee, and when a payout is final. */
export const payouts = {
  HOT_WALLET_KEYS: {
    meaning:
      'Private keys that pay withdrawals, 32 bytes in hexadecimal: a key for all networks, or `network:key`, separated by commas. Several keys of a network share its payouts; at most 8. Give all workers the same keys. Only workers read it.',
    default: '',
    example: 'polygon:<key>,polygon:<key>,base:<key>',
    secret: true,
    parse: parseHotWalletKeys,
  },
  DEPLOYMENT_ID: {
    meaning:
      'Name of this deployment, such as `production`; at most 200 characters. A paying worker writes it to an empty database and refuses a database with another name. `causeway wallets rebind` changes it.',
    default: '',
    example: 'production',
    parse: ({ text, fault, faultMissing }, isNeeded: boolean) => {
      if (text === '' && isNeeded) faultMissing();
      if (text.length > 200) fault('DEPLOYMENT_ID must have at most 200 characters.');
      return text;
    },
  },
  DATABASE_REPLICATION: {
    meaning:
      '`synchronous` if promoting a standby loses no acknowledged commit. Otherwise payouts halt after a promotion until you run `causeway wallets recover`. The same for all processes: the API confirms what it answers to repeated requests. A paying worker refuses it on a server without `synchronous_standby_names`.',
    default: 'asynchronous',
    parse: asOneOf('asynchronous', 'synchronous'),
  },
  DATABASE_DURABILITY: {
    meaning:
      '`required`: a paying worker refuses a server with `fsync`, `full_page_writes` or `synchronous_commit` off. `relaxed` is for tests.',
    default: 'required',
    parse: asOneOf('required', 'relaxed'),
  },
  NETWORK_FINALITY: {
    meaning:
      'When a payout is final, `network:rule`, separated by commas: `finalized`, `safe`, a number of blocks, or `safe/10000/finalized` (safe up to 10000, finalized above). Default: `finalized`, and on Base `safe/10000/finalized`.',
    default: '',
    example: 'polygon:12,base:safe/500/finalized',
    parse: (reading) =>
      parseNetworkPairs<Finality>(reading, {
        form: 'network:rule pairs, a rule being finalized, safe, a number of blocks, or such as safe/10000/finalized',
        parse: parseFinality,
      }),
  },
  NETWORK_FEE_CAP_GWEI: {
    meaning:
      'Maximum price of a unit of gas, `network:gwei`, separated by commas. Default: `polygon:10000,ethereum:500,base:50`.',
    default: '',
    example: 'polygon:5000,base:0.5',
    parse: (reading) =>
      parseNetworkPairs<bigint>(reading, {
        form: 'network:gwei pairs, each a number above 0 with at most 9 decimals',
        parse: (gwei) => parseMinor(gwei, 9) || undefined,
      }),
  },
} satisfies Record<string, Setting>;

/** Every network in `offered` must have a key. Those of one network are different wallets. */
function parseHotWalletKeys(
  { text, fault }: Reading,
  offered: readonly Network[],
): ReadonlyMap<Network, PrivateKey[]> {
  const keys = new Map<Network, PrivateKey[]>();
  const items = itemsOf(text).map((item) => /^(?:([a-z]+):)?(\w+)$/.exec(item) ?? []);
  const isForAll = items.every(([, name]) => name === undefined);
  for (const [, name, digits] of items) {
    const key = parsePrivateKey(digits ?? '');
    const isForOne = name !== undefined && isNetwork(name);
    if (!key || !(isForAll || isForOne)) {
      // Nothing of the item is repeated: what looks like the name of a network may be a part of the key.
      fault(
        `HOT_WALLET_KEYS must be private keys, 32 bytes in hexadecimal, or network:key pairs, not both; ${knownNetworks}.`,
      );
      return keys;
    }
    for (const network of isForOne ? [name] : networks) {
      const others = keys.get(network) ?? [];
      if (others.includes(key)) {
        fault(`HOT_WALLET_KEYS has a key twice for ${network}.`);
        return keys;
      }
      keys.set(network, [...others, key]);
    }
  }
  const tooMany = [...keys].find(([, ofOne]) => ofOne.length > hotWalletsMax);
  if (tooMany) fault(`HOT_WALLET_KEYS has more than ${hotWalletsMax} keys for ${tooMany[0]}.`);
  const without = offered.filter((network) => !keys.has(network));
  if (without.length > 0)
    fault(`HOT_WALLET_KEYS has no key for ${without.join(', ')}: a worker pays withdrawals with it.`);
  return keys;
}
