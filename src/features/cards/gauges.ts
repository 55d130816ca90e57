import { noIssuer } from '#adapters/issuer';
import type { Deps } from '#context';
import { shareRead } from '#platform/http/share-read';
import type { GaugeSource } from '#platform/observe/metrics';
import { type EventCursor, selectEventCursor, selectSecondsBehind } from './queries/cursor.ts';

const readEventCursor = shareRead(selectEventCursor);

const ofCursor =
  (figure: (cursor: EventCursor) => number | null): GaugeSource<Deps>['read'] =>
  async ({ db, issuer }) => {
    const value = issuer === noIssuer ? null : figure(await readEventCursor(db));
    return value === null ? [] : [{ labels: {}, value }];
  };

export const cardGauges: readonly GaugeSource<Deps>[] = [
  {
    name: 'causeway_cards_events_read_age_seconds',
    help: 'How long ago the card issuer’s event feed was last read; normally seconds.',
    labels: [],
    read: async ({ db, issuer }) => {
      const seconds = issuer === noIssuer ? undefined : await selectSecondsBehind(db);
      return seconds === undefined ? [] : [{ labels: {}, value: seconds }];
    },
  },
  {
    name: 'causeway_cards_events_last_sequence',
    help: 'Sequence of the last event read from the card issuer’s feed.',
    labels: [],
    read: ofCursor(({ lastSequence }) => Number(lastSequence)),
  },
  {
    name: 'causeway_cards_events_skipped_total',
    isCounter: true,
    help: 'Skipped events of the card issuer: about unknown users, of kinds that we do not store, or skipped by an operator.',
    labels: [],
    read: ofCursor(({ skipped }) => Number(skipped)),
  },
  {
    name: 'causeway_cards_events_missing',
    help: '1 if an event is missing in the card issuer’s feed, which blocks later events.',
    labels: [],
    read: ofCursor(({ missingSequence, isUnreadable }) => (missingSequence === null || isUnreadable ? 0 : 1)),
  },
  {
    name: 'causeway_cards_events_unreadable',
    help: '1 if an event in the card issuer’s feed is invalid, which blocks later events until it is fixed or skipped.',
    labels: [],
    read: ofCursor(({ isUnreadable }) => (isUnreadable ? 1 : 0)),
  },
  {
    name: 'causeway_cards_events_blocked_sequence',
    help: 'Sequence of the issuer event that is missing or invalid and blocks the feed; absent if none does.',
    labels: [],
    read: ofCursor(({ missingSequence }) => (missingSequence === null ? null : Number(missingSequence))),
  },
];
