import type { EvmNetwork } from '#adapters/evm';
import type { Ctx } from '#context';
import { selectSigners } from './queries/signers.ts';

/** The addresses of a network's hot wallets: the one whose key we have, and all former ones. */
export async function listHotWallets({ db }: Pick<Ctx, 'db'>, network: EvmNetwork): Promise<string[]> {
  const own = network.signer ? [network.signer.address] : [];
  const used = await selectSigners(db, network.name);
  return [...new Set([...own, ...used.map(({ address }) => address)])];
}
