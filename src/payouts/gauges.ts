import type { Deps } from '../context.ts';
import type { GaugeSource } from '../platform/metrics.ts';
import { countWaiting, selectLaneDepths, selectSigners } from './queries.ts';

export const payoutGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_payouts_waiting',
    help: 'Pending withdrawals that cannot be signed, by what they wait for: gas, a currency, fees, node, screening, token, halted.',
    labels: ['network', 'reason'],
    read: async ({ db }) =>
      (await countWaiting(db)).map(({ network, waitingFor, count }) => ({
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
    help: '1 where nothing is signed or sent until an operator has looked: wallets.show says why.',
    labels: ['network', 'wallet'],
    read: async ({ db }) =>
      (await selectSigners(db)).map(({ network, address, haltedAt }) => ({
        labels: { network, wallet: address },
        value: haltedAt === null ? 0 : 1,
      })),
  },
];
