import { noIssuer } from '#adapters/issuer';
import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { type EventCursor, selectEventCursor, selectSecondsBehind } from './queries/cursor.ts';

const readEventCursor = shareRead(selectEventCursor);

const ofCursor =
  (figure: (cursor: EventCursor) => number): GaugeSource<Deps>['read'] =>
  async ({ db, issuer }) =>
    issuer === noIssuer ? [] : [{ labels: {}, value: figure(await readEventCursor(db)) }];

export const cardGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_cards_events_behind_seconds',
    help: 'How long ago the card issuer’s events were last read; seconds, unless something is wrong.',
    labels: [],
    read: async ({ db, issuer }) => {
      const seconds = issuer === noIssuer ? undefined : await selectSecondsBehind(db);
      return seconds === undefined ? [] : [{ labels: {}, value: seconds }];
    },
  },
  {
    name: 'causeway_cards_events_last_sequence',
    help: 'The last event of the card issuer that was read.',
    labels: [],
    read: ofCursor(({ lastSequence }) => Number(lastSequence)),
  },
  {
    name: 'causeway_cards_events_skipped',
    help: 'Events of the card issuer that were passed over: about people who are none of our users or things that we keep nothing of, or by an operator.',
    labels: [],
    read: ofCursor(({ skipped }) => Number(skipped)),
  },
  {
    name: 'causeway_cards_events_missing',
    help: '1 where the card issuer lacks an event that it has later ones of: none after it is read until it comes.',
    labels: [],
    read: ofCursor(({ missingSequence, isUnreadable }) => (missingSequence === null || isUnreadable ? 0 : 1)),
  },
  {
    name: 'causeway_cards_events_unreadable',
    help: '1 where an event of the card issuer is not as the protocol says: none after it is read until it can be, or is passed over.',
    labels: [],
    read: ofCursor(({ isUnreadable }) => (isUnreadable ? 1 : 0)),
  },
  {
    name: 'causeway_cards_events_stand_at',
    help: 'The event of the card issuer that is missing or cannot be read; 0 where there is none.',
    labels: [],
    read: ofCursor(({ missingSequence }) => Number(missingSequence ?? 0n)),
  },
];
