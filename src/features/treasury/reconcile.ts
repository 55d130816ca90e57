import { type EvmNetwork, type Network, NodeError } from '#adapters/evm';
import type { Ctx } from '#context';
import { haltWallet, listHotWallets, shortfallReason } from '#features/payouts';
import { Refusal } from '#platform/errors/errors';
import { formatMinor, parseMinor } from '#platform/values/money';
import { treasuryErrors } from './errors.ts';
import { type AssetReport, reportAssets } from './report-assets.ts';
import { takeTurn } from './take-turn.ts';
import { turnsInCommand } from './timing.ts';

export interface NetworkReport {
  network: string;
  block: number;
  /** Some platform wallets were not counted yet. */
  isCounting: boolean;
  /**
   * Native coin of the hot wallets in wei, its change since the opening, and how many transactions were sent
   * since then.
   */
  gas: bigint;
  gasChange: bigint;
  sent: bigint;
  assets: AssetReport[];
}

export interface Reconciled {
  reports: NetworkReport[];
  /** Networks that were not compared, such as because nodes are down. */
  refused: { network: Network; refusal: Refusal }[];
}

/**
 * Compares one network, or all, and halts hot wallets if the setting says so. Throws if no network could be
 * compared.
 */
export async function reconcile(ctx: Ctx, { network: name }: { network?: string }): Promise<Reconciled> {
  const networks = [...ctx.evm.values()].filter((network) => name === undefined || network.name === name);
  if (networks.length === 0) throw treasuryErrors.unknownNetwork();
  const { reports, refused }: Reconciled = { reports: [], refused: [] };
  for (const network of networks) {
    const answer = await reconcileOne(ctx, network)
      .catch(onceMore(ctx, network))
      .catch((error) => refusalOf(network.name, error));
    if (answer instanceof Refusal) refused.push({ network: network.name, refusal: answer });
    else reports.push(answer);
  }
  if (reports.length === 0) throw refused[0]!.refusal;
  return { reports, refused };
}

/** If a worker was first, the second try starts where the worker ended. */
const onceMore = (ctx: Ctx, network: EvmNetwork) => (error: unknown) => {
  if (!(error instanceof Refusal) || error.code !== 'compared_elsewhere') throw error;
  return reconcileOne(ctx, network);
};

/** It names its network. Any other error is a bug. */
function refusalOf(network: Network, cause: unknown): Refusal {
  const error = cause instanceof NodeError ? treasuryErrors.nodesAway({ cause }) : cause;
  if (!(error instanceof Refusal)) throw error;
  return new Refusal(error.status, error.code, `${network}: ${error.message}`, { cause: error });
}

async function reconcileOne(ctx: Ctx, network: EvmNetwork): Promise<NetworkReport> {
  let turn = await takeTurn(ctx, network);
  for (let turns = 1; turn.isBehind && turns < turnsInCommand; turns++) turn = await takeTurn(ctx, network);
  const { position } = turn;
  const report: NetworkReport = {
    network: network.name,
    block: position.blockNumber,
    isCounting: position.isCounting,
    gas: position.gas,
    gasChange: position.gas - position.openingGas,
    sent: position.sent - position.openingSent,
    assets: await reportAssets(ctx, network),
  };
  // Also while wallets are counted: what they had before is not a shortfall.
  if (turn.isAtHead) await haltForShortfall(ctx, network, report);
  return report;
}

/** The operator's rule: RECONCILE_HALT_SHORTFALL. */
async function haltForShortfall(ctx: Ctx, network: EvmNetwork, { assets }: NetworkReport): Promise<void> {
  const short = assets.filter(({ shortfall }) => shortfall > 0n);
  for (const { currency, shortfall, decimals } of short) {
    const amount = formatMinor(shortfall, decimals);
    ctx.log.error({ network: network.name, currency, shortfall: amount }, 'the treasury has a shortfall');
    const { haltShortfall } = network;
    if (haltShortfall === undefined || shortfall <= parseMinor(haltShortfall, decimals)!) continue;
    const reason = `${shortfallReason}${amount} ${currency}: see "The treasury does not match" in docs/operating.md`;
    for (const address of await listHotWallets(ctx, network))
      await haltWallet(ctx, { network: network.name, address, reason });
  }
}
