import type { EventFamily } from '#features/events';
import { granted } from './reference.ts';
import { consentState } from './wire.ts';

const moved = { hasPreviousStatus: true } as const;

/** As the integration sees its consent: ids, scopes and dates, nothing about the user. */
export const consentEvents: EventFamily = {
  audience: ['integration'],
  types: [
    { type: 'consent.granted', words: 'The user granted a request', ...moved },
    { type: 'consent.refused', words: 'The user refused a request', ...moved },
    { type: 'consent.reduced', words: 'Scopes were taken back; `scopes` has those that are left' },
    { type: 'consent.revoked', words: 'It ended; reads are refused with 410', ...moved },
    { type: 'consent.expired', words: 'Its time is over, or its only read was made', ...moved },
  ],
  object: consentState,
  example: granted,
};

/** The event of an audited action on a consent. */
export const eventTypes: Readonly<Record<string, string | undefined>> = {
  grant: 'consent.granted',
  refuse: 'consent.refused',
  reduce: 'consent.reduced',
  revoke: 'consent.revoked',
  expire: 'consent.expired',
};
