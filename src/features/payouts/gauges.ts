import type { Deps } from '#context';
import type { GaugeSource } from '#platform/observe/metrics';
import { formatMinor } from '#platform/values/money';
import { countPauses } from './pauses/queries.ts';
import { countWaiting } from './queries/pending.ts';
import { selectLaneDepths, selectSigners } from './queries/signers.ts';
import { type Balances, lastBalances } from './read-balances.ts';
import { waitReasons } from './wait-reasons.ts';

/** Nodes are numbered as in the setting, because the URL of a hosted node contains the account's key. */
const nodeUp: GaugeSource<Deps>['read'] = async ({ evm }) =>
  [...evm.values()].flatMap(({ name, node }) =>
    node.endpoints().flatMap((isUp, at) => {
      const labels = { network: name, place: String(at + 1) };
      return isUp === undefined ? [] : [{ labels, value: isUp ? 1 : 0 }];
    }),
  );

/** From what a job has read, so that a scrape calls no node. */
const ofWallets =
  (
    figures: (balances: Balances, deps: Deps) => { labels?: Record<string, string>; value: number }[],
  ): GaugeSource<Deps>['read'] =>
  async (deps) =>
    [...deps.evm.values()].flatMap((network) =>
      lastBalances(network).flatMap((balances) =>
        figures(balances, deps).map(({ labels, value }) => ({
          labels: { network: network.name, wallet: balances.wallet, ...labels },
          value,
        })),
      ),
    );

const inUnits = (minor: bigint, decimals: number) => Number(formatMinor(minor, decimals));

export const payoutGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_payouts_waiting',
    help: `Pending withdrawals that cannot be signed, among the first 10000, by what they wait for: a currency, ${waitReasons.join(', ')}.`,
    labels: ['network', 'reason'],
    read: async ({ db }) =>
      (await countWaiting(db, 10_000)).map(({ network, waitingFor, count }) => ({
        labels: { network, reason: waitingFor },
        value: Number(count),
      })),
  },
  {
    name: 'causeway_payouts_open',
    help: 'Payouts that are signed and not final, by hot wallet.',
    labels: ['network', 'wallet'],
    read: async ({ db }) =>
      (await selectLaneDepths(db)).map(({ network, address, open }) => ({
        labels: { network, wallet: address },
        value: Number(open),
      })),
  },
  {
    name: 'causeway_payouts_halted',
    help: '1 if the wallet is halted until an operator resumes it; wallets.show has the reason.',
    labels: ['network', 'wallet'],
    read: async ({ db }) =>
      (await selectSigners(db)).map(({ network, address, haltedAt }) => ({
        labels: { network, wallet: address },
        value: haltedAt === null ? 0 : 1,
      })),
  },
  {
    name: 'causeway_payouts_paused',
    help: 'Pauses of payouts by an operator, by kind: everything, network, partner, user; payouts.list-pauses has the reasons.',
    labels: ['kind'],
    read: async ({ db }) =>
      (await countPauses(db)).map(({ kind, count }) => ({ labels: { kind }, value: Number(count) })),
  },
  {
    name: 'causeway_hot_wallet_gas',
    help: 'Native coin of each hot wallet, in whole units; read every minute by workers.',
    labels: ['network', 'wallet'],
    read: ofWallets(({ gas }) => [{ value: inUnits(gas, 18) }]),
  },
  {
    name: 'causeway_hot_wallet_token',
    help: 'Tokens of each hot wallet, in whole units; read every minute by workers.',
    labels: ['network', 'wallet', 'currency'],
    read: ofWallets(({ tokens }) =>
      tokens.map(({ symbol, decimals, balance }) => ({
        labels: { currency: symbol },
        value: inUnits(balance, decimals),
      })),
    ),
  },
  {
    name: 'causeway_hot_wallet_payouts',
    help: 'Number of payouts that the gas of each hot wallet covers at current fees.',
    labels: ['network', 'wallet'],
    read: ofWallets(({ payouts }) => [{ value: Number(payouts) }]),
  },
  {
    name: 'causeway_hot_wallet_age_seconds',
    help: 'How long ago the balances of each hot wallet were read; normally about a minute.',
    labels: ['network', 'wallet'],
    read: ofWallets(({ readAt }, { clock }) => [
      { value: Math.max(clock().getTime() - readAt.getTime(), 0) / 1_000 },
    ]),
  },
  {
    name: 'causeway_node_up',
    help: '1 if the node answered its last call, 0 if not; place is its place in the RPC setting, from 1.',
    labels: ['network', 'place'],
    read: nodeUp,
  },
];
