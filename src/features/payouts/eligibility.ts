import { type EvmNetwork, type Provider, readFrozen, type Token } from '#adapters/evm';
import type { Ctx } from '#context';
import { selectSigners } from './queries/signers.ts';

export type Eligibility = 'eligible' | 'refused' | 'unknown';

export interface PaidAsset {
  network: EvmNetwork;
  token: Token;
}

/**
 * Whether the token's issuer and the screening provider allow each address to be paid. Unknown: one of them
 * did not answer.
 */
export async function checkEligibility(
  ctx: Ctx,
  { network, token }: PaidAsset,
  addresses: readonly string[],
  provider: Provider = network.node.pick(),
  timeoutMs?: number,
): Promise<Eligibility[]> {
  const [frozen, screened] = await Promise.all([
    readFrozen(provider, token, addresses, timeoutMs),
    Promise.all(
      addresses.map((address) =>
        ctx.screening.screen({ network: network.name, currency: token.symbol, address }),
      ),
    ),
  ]);
  return addresses.map((_, at) => {
    if (frozen[at] === true || screened[at] === 'refused') return 'refused';
    return frozen[at] === false && screened[at] === 'allowed' ? 'eligible' : 'unknown';
  });
}

const rememberMs = 30_000;
const patienceMs = 2_000;
const rememberedMax = 10_000;
const remembered = new WeakMap<EvmNetwork, Map<string, number>>();

/**
 * Whether an address may not be paid, for a request that waits. Eligible ones are remembered for a while, and
 * a node that does not answer refuses nobody, because all are checked again just before signing.
 */
export async function isRefused(ctx: Ctx, asset: PaidAsset, address: string): Promise<boolean> {
  return (await areRefused(ctx, asset, [address]))[0]!;
}

/** The same for several addresses. */
export async function areRefused(
  ctx: Ctx,
  asset: PaidAsset,
  addresses: readonly string[],
): Promise<boolean[]> {
  const keyOf = (address: string) => `${asset.token.symbol} ${address}`;
  const known = remembered.get(asset.network) ?? new Map<string, number>();
  remembered.set(asset.network, known);
  const now = performance.now();
  const asked = [...new Set(addresses)].filter(
    (address) => (known.get(keyOf(address)) ?? Number.NEGATIVE_INFINITY) <= now - rememberMs,
  );
  if (asked.length === 0) return addresses.map(() => false);
  const verdicts = await checkEligibility(ctx, asset, asked, asset.network.node.pick(), patienceMs);
  for (const [at, address] of asked.entries()) {
    if (verdicts[at] !== 'eligible') continue;
    if (known.size >= rememberedMax) known.clear();
    known.set(keyOf(address), now);
  }
  const refused = new Set(asked.filter((_, at) => verdicts[at] === 'refused'));
  return addresses.map((address) => refused.has(address));
}

const hotWallets = new WeakMap<EvmNetwork, { readAt: number; addresses: ReadonlySet<string> }>();
const hotWalletsMs = 10_000;

/**
 * Whether an address is a hot wallet of ours: paying it would spend a user's balance for nothing. One that
 * was registered a moment ago is refused at signing.
 */
export async function isHotWallet(ctx: Ctx, network: EvmNetwork, address: string): Promise<boolean> {
  if (network.signers.some((signer) => signer.address === address)) return true;
  const now = performance.now();
  let known = hotWallets.get(network);
  if (!known || known.readAt < now - hotWalletsMs) {
    const signers = await selectSigners(ctx.db);
    known = { readAt: now, addresses: new Set(signers.map((signer) => signer.address)) };
    hotWallets.set(network, known);
  }
  return known.addresses.has(address);
}
