import type { EvmNetwork } from '#adapters/evm';
import type { Ctx } from '#context';
import { selectSigners } from './queries/signers.ts';

/** The addresses of a network's hot wallets: those whose keys we have, and all former ones. */
export async function listHotWallets({ db }: Pick<Ctx, 'db'>, network: EvmNetwork): Promise<string[]> {
  const own = network.signers.map(({ address }) => address);
  const used = await selectSigners(db, network.name);
  return [...new Set([...own, ...used.map(({ address }) => address)])];
}
