import type { Evm, Network, TokenSymbol } from '#adapters/evm';
import { parseMinor } from '#platform/values/money';
import { ledgerErrors } from './errors.ts';
import type { Asset } from './queries/accounts.ts';

/**
 * An asset that this deployment pays, in its own spelling, from a spelling in any case; refused by the
 * fields' names.
 */
export function requireAsset(
  evm: Evm,
  spelt: Asset,
  fields: Asset = { network: 'network', currency: 'currency' },
): Asset {
  const network = [...evm.values()].find(({ name }) => name === spelt.network.toLowerCase());
  if (!network) {
    const message = evm.size > 0 ? oneOf(evm.keys()) : 'must have a node, and no network has one here';
    throw ledgerErrors.unknownNetwork(at(fields.network, message));
  }
  const token = [...network.tokens.values()].find(({ symbol }) => symbol === spelt.currency.toUpperCase());
  if (!token) {
    const message = `${oneOf(network.tokens.keys())} on ${network.name}`;
    throw ledgerErrors.unknownCurrency(at(fields.currency, message));
  }
  return { network: network.name, currency: token.symbol };
}

const oneOf = (names: Iterable<string>) => `must be one of ${[...names].join(', ')}`;

const at = (field: string, message: string) => ({
  message: `${field} ${message}`,
  details: [{ field, message }],
});

/** An amount above zero in base units, or a refusal by the field's name. */
export function requireAmount(evm: Evm, text: string, asset: Asset, field: string): bigint {
  const decimals = decimalsOf(evm, asset);
  const amount = parseMinor(text, decimals);
  if (amount !== undefined && amount > 0n) return amount;
  const message = `must be a decimal above 0 with at most ${decimals} decimals, such as 12.5`;
  throw ledgerErrors.invalidAmount(at(field, message));
}

/**
 * How many decimals amounts of an asset are written with: six, as every token so far has, if its network is
 * no longer configured.
 * @example
 * formatMinor(12_500_000n, decimalsOf(ctx.evm, { network: 'polygon', currency: 'USDT' })); // '12.5'
 */
export function decimalsOf(evm: Evm, { network, currency }: Asset): number {
  return evm.get(network as Network)?.tokens.get(currency as TokenSymbol)?.decimals ?? 6;
}
