import { isInNetworks } from '#adapters/evm';
import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { type Cursor, selectAges, selectCursors } from './queries.ts';

const readCursors = shareRead(selectCursors);

const ofEach =
  (figure: (cursor: Cursor) => number): GaugeSource<Deps>['read'] =>
  async ({ db, evm }) =>
    (await readCursors(db)).filter(isInNetworks(evm)).map((cursor) => ({
      labels: { network: cursor.network },
      value: figure(cursor),
    }));

export const depositGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_deposits_last_block',
    help: 'The last block that was read for deposits.',
    labels: ['network'],
    read: ofEach(({ nextBlock }) => nextBlock - 1),
  },
  {
    name: 'causeway_deposits_last_block_age_seconds',
    help: 'Age of the last block read for deposits; normally the time until blocks of the network are final.',
    labels: ['network'],
    read: async ({ db, evm }) => {
      const ages = (await selectAges(db)).filter(isInNetworks(evm));
      return ages.map(({ network, seconds }) => ({ labels: { network }, value: seconds }));
    },
  },
  {
    name: 'causeway_deposits_halted',
    help: '1 if deposits are halted until an operator resumes them; deposits.show has the reason.',
    labels: ['network'],
    read: ofEach(({ haltedAt }) => (haltedAt === null ? 0 : 1)),
  },
  {
    name: 'causeway_deposits_posted_total',
    isCounter: true,
    help: 'Deposits found on chain and posted since the network is watched.',
    labels: ['network'],
    read: ofEach(({ posted }) => posted),
  },
  {
    name: 'causeway_deposits_ignored_total',
    isCounter: true,
    help: 'Transfers below the minimum of their token, which are not credited; a rescan counts them again.',
    labels: ['network'],
    read: ofEach(({ ignored }) => ignored),
  },
];
