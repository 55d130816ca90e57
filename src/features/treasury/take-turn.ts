import type { EvmNetwork } from '#adapters/evm';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { listHotWallets } from '#features/payouts';
import { treasuryErrors } from './errors.ts';
import { addChainItems, deleteMatched, foldItems, selectAhead, updateNames } from './items/queries.ts';
import { readPostings } from './items/read-postings.ts';
import { type Effects, sortTransfers } from './items/sort-transfers.ts';
import { shortfallOf } from './names.ts';
import {
  type AssetRow,
  addTotals,
  lockPosition,
  type Position,
  selectAssets,
  selectExplained,
  selectPosition,
  upsertAssets,
  upsertPosition,
} from './queries.ts';
import { type ChainPart, type Measured, readChain, readGas, readPlaces, readWallets } from './read-chain.ts';
import { checkedInTurn, countedInTurn } from './timing.ts';
import { countWallets } from './wallets/count-wallets.ts';
import {
  deleteHandedOver,
  insertCreditedWallets,
  selectLongestUnread,
  selectOurs,
  selectUncounted,
} from './wallets/queries.ts';

export interface Turn {
  position: Position;
  /** There is more to read. */
  isBehind: boolean;
  /** All final blocks are read; some wallets may not be counted yet. */
  isAtHead: boolean;
}

/**
 * One comparison, from the block of the last one to a final block. The chain is read first, without a
 * transaction; then one transaction adds what it shows and what was posted since, if no other worker did.
 * Throws and stores nothing if nodes are down or disagree.
 */
export async function takeTurn(ctx: Ctx, network: EvmNetwork): Promise<Turn> {
  const before = await selectPosition(ctx.db, network.name);
  const hot = await listHotWallets(ctx, network);
  const chain = await readChain(ctx, network, before, hot);
  const addresses = [...new Set(chain.transfers.flatMap(({ from, to }) => [from, to]))];
  const ours = await selectOurs(ctx.db, { network: network.name, hot, now: ctx.now }, addresses);
  const effects = sortTransfers(network, chain.transfers, { ours, hot: new Set(hot) });
  const measured = chain.isLast
    ? await measure(ctx, network, chain, [...hot, ...effects.byWallet.keys()])
    : [];
  const gas = chain.isLast || !before ? await readGas(network, chain, hot) : before;
  const places = await readPlaces(chain, await selectAhead(ctx.db, network.name, 1_000));
  const position = await inTransaction(ctx, (ctx) =>
    store(ctx, network, { before, chain, effects, measured, gas, places }),
  );
  return { position, isBehind: !chain.isLast || position.isCounting, isAtHead: chain.isLast };
}

/**
 * Wallets that moved, hot wallets, some that were never counted, and those whose balance was read longest
 * ago.
 */
async function measure(
  { db }: Ctx,
  network: EvmNetwork,
  chain: ChainPart,
  moved: readonly string[],
): Promise<Measured[]> {
  const others = [
    ...(await selectUncounted(db, network.name, countedInTurn)),
    ...(await selectLongestUnread(db, network.name, checkedInTurn)),
  ];
  return readWallets(network, chain, [...new Set([...moved, ...others])]);
}

interface Read {
  before: Position | undefined;
  chain: ChainPart;
  effects: Effects;
  measured: readonly Measured[];
  gas: { gas: bigint; sent: bigint };
  places: ReadonlyMap<string, number | null>;
}

async function store(ctx: Ctx, network: EvmNetwork, read: Read): Promise<Position> {
  const { db, now } = ctx;
  const { before, chain, effects, measured, gas, places } = read;
  const locked = await lockPosition(db, network.name);
  if (locked?.blockNumber !== before?.blockNumber || locked?.posting !== before?.posting)
    throw treasuryErrors.comparedElsewhere();
  const assets = await requireAssets(ctx, network, before);
  await addChainItems(db, network.name, effects.items, now);
  await countWallets(ctx, {
    network,
    position: before,
    block: chain.block.number,
    effects,
    measured,
    assets,
  });
  const { posting, openingPosting } = await readPostings(ctx, network, before, assets);
  for (const { currency, amount, count } of await deleteHandedOver(db, network.name)) {
    assets.get(currency)!.chain -= amount;
    const name = 'wallets handed over';
    await addTotals(db, network.name, [{ currency, name, amount: -amount, count: Number(count) }]);
  }
  const position: Position = {
    network: network.name,
    openingBlock: before?.openingBlock ?? chain.block.number,
    openingPosting,
    blockNumber: chain.block.number,
    blockHash: chain.block.hash,
    posting,
    isCounting: (await selectUncounted(db, network.name, 1)).length > 0,
    gas: gas.gas,
    sent: gas.sent,
    reconciledAt: now,
    openingGas: before?.openingGas ?? gas.gas,
    openingSent: before?.openingSent ?? gas.sent,
  };
  await insertCreditedWallets(db, { network: network.name, fromBlock: chain.block.number, now });
  await deleteMatched(db, network.name);
  await updateNames(db, { position, minimums: network.depositMinimums, places });
  await foldItems(db, network.name, now);
  await upsertPosition(db, position);
  await storeAssets(ctx, position, [...assets.values()]);
  if (ctx.actor.kind === 'operator') {
    await recordChange(ctx, {
      action: 'treasury.reconcile',
      subject: `treasury:${network.name}`,
      before: before ? { block: before.blockNumber } : null,
      after: { block: position.blockNumber },
    });
  }
  return position;
}

/** Those of the last comparison, or empty ones for the first. */
async function requireAssets(
  { db }: Ctx,
  { name, tokens }: EvmNetwork,
  before: Position | undefined,
): Promise<Map<string, AssetRow>> {
  const symbols = [...tokens.keys()];
  if (!before) {
    const empty = { network: name, chain: 0n, owed: 0n, shortfall: 0n };
    return new Map(symbols.map((currency) => [currency, { ...empty, currency }]));
  }
  const assets = new Map((await selectAssets(db, name)).map((asset) => [asset.currency as string, asset]));
  if (assets.size !== symbols.length || symbols.some((symbol) => !assets.has(symbol)))
    throw treasuryErrors.tokensChanged();
  return assets;
}

/** chain - owed must equal the sum of the names; otherwise this code has a bug, and nothing is stored. */
async function storeAssets({ db }: Ctx, position: Position, assets: readonly AssetRow[]): Promise<void> {
  const explained = await selectExplained(db, position.network);
  for (const asset of assets) {
    const named = explained.filter(({ currency }) => currency === asset.currency);
    const total = named.reduce((sum, { amount }) => sum + amount, 0n);
    if (total !== asset.chain - asset.owed)
      throw new Error(
        `${asset.network} ${asset.currency}: names add up to ${total}, not ${asset.chain - asset.owed}`,
      );
    asset.shortfall = shortfallOf(named, position);
  }
  await upsertAssets(db, assets);
}
