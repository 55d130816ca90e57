import type { Evm, EvmNetwork, Token } from '#adapters/evm';
import type { WithdrawalLimit } from '#config/config';
import { parseMinor } from '#platform/values/money';

/** A currency on a network, as this deployment pays it. */
export interface Asset {
  network: EvmNetwork;
  token: Token;
  minimum: bigint;
  maximum: bigint | undefined;
}

/**
 * Every pair that can be withdrawn. By default the minimum is the token's smallest unit and there is no
 * maximum.
 */
export function listAssets(evm: Evm, limits: readonly WithdrawalLimit[]): Asset[] {
  return [...evm.values()].flatMap((network) =>
    [...network.tokens.values()].map((token) => {
      const limit = limits.find(
        ({ network: name, symbol }) => name === network.name && symbol === token.symbol,
      );
      const minor = (text: string | undefined) =>
        text === undefined ? undefined : parseMinor(text, token.decimals);
      return { network, token, minimum: minor(limit?.minimum) || 1n, maximum: minor(limit?.maximum) };
    }),
  );
}
