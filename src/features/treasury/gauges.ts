import { isInNetworks } from '#adapters/evm';
import type { Deps } from '#context';
import { decimalsOf } from '#features/ledger';
import type { GaugeSource } from '#platform/observe/metrics';
import { formatMinor } from '#platform/values/money';
import { type AssetFigures, selectFigures, selectPositions } from './queries.ts';

const ofEach =
  (figure: (asset: AssetFigures) => bigint): GaugeSource<Deps>['read'] =>
  async ({ db, evm }) =>
    (await selectFigures(db)).filter(isInNetworks(evm)).map((asset) => ({
      labels: { network: asset.network, currency: asset.currency },
      value: Number(formatMinor(figure(asset), decimalsOf(evm, asset))),
    }));

export const treasuryGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_treasury_shortfall',
    help: 'What we owe but do not hold and no operator has accepted, in whole units; causeway treasury reconcile has the reasons.',
    labels: ['network', 'currency'],
    read: ofEach(({ shortfall }) => shortfall),
  },
  {
    name: 'causeway_treasury_unexplained',
    help: 'Unexplained part of the difference between chain and ledger, in whole units; normally 0.',
    labels: ['network', 'currency'],
    read: ofEach(({ unexplained }) => unexplained),
  },
  {
    name: 'causeway_treasury_age_seconds',
    help: 'How long ago chain and ledger were compared; normally at most ten minutes.',
    labels: ['network'],
    read: async ({ db, clock, evm }) =>
      (await selectPositions(db)).filter(isInNetworks(evm)).map(({ network, reconciledAt }) => ({
        labels: { network },
        value: Math.max(clock().getTime() - reconciledAt.getTime(), 0) / 1_000,
      })),
  },
];
