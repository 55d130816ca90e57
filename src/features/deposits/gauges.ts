import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { type Cursor, selectAges, selectCursors } from './queries.ts';

const readCursors = shareRead(selectCursors);

const ofEach =
  (figure: (cursor: Cursor) => number): GaugeSource<Deps>['read'] =>
  async ({ db }) =>
    (await readCursors(db)).map((cursor) => ({
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
    name: 'causeway_deposits_behind_seconds',
    help: 'How long ago that block was made: the time that the network needs until blocks are final, or something is wrong.',
    labels: ['network'],
    read: async ({ db }) =>
      (await selectAges(db)).map(({ network, seconds }) => ({ labels: { network }, value: seconds })),
  },
  {
    name: 'causeway_deposits_halted',
    help: '1 where no deposit is posted until an operator has looked: deposits.show says why.',
    labels: ['network'],
    read: ofEach(({ haltedAt }) => (haltedAt === null ? 0 : 1)),
  },
  {
    name: 'causeway_deposits_posted',
    help: 'Deposits that were found on chain and posted, since the network is watched.',
    labels: ['network'],
    read: ofEach(({ posted }) => posted),
  },
  {
    name: 'causeway_deposits_ignored',
    help: 'Transfers that were below the minimum of their token and not credited; those read again count again.',
    labels: ['network'],
    read: ofEach(({ ignored }) => ignored),
  },
];
