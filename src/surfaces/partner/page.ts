import { type Frame, type Page, type Reader, renderFrame } from '#surfaces/frame';
import { texts } from './texts/index.ts';
import type { StaffRole, Visit } from './visit.ts';

type PlaceName = keyof (typeof texts)['en']['navigation'];

/** The menu. A page that needs certain roles names them; others do not see it there. */
const places: readonly { name: PlaceName; to: string; roles?: readonly StaffRole[] }[] = [
  { name: 'overview', to: '/partner' },
  { name: 'withdrawals', to: '/partner/withdrawals' },
  { name: 'upload', to: '/partner/payouts/upload', roles: ['finance', 'owner'] },
  { name: 'limits', to: '/partner/limits' },
  { name: 'statements', to: '/partner/statements', roles: ['finance', 'owner'] },
  { name: 'users', to: '/partner/users' },
  { name: 'addresses', to: '/partner/addresses', roles: ['finance', 'owner'] },
  { name: 'keys', to: '/partner/keys', roles: ['developer', 'owner'] },
  { name: 'webhooks', to: '/partner/webhooks', roles: ['developer', 'owner'] },
  { name: 'requests', to: '/partner/requests', roles: ['developer', 'owner'] },
  { name: 'team', to: '/partner/team' },
];

export function frameOf({ language, session }: Reader): Frame {
  const { area, navigation } = texts[language];
  const role = session?.person.role as StaffRole;
  const shown = places.filter(({ roles }) => roles === undefined || roles.includes(role));
  return { prefix: '/partner', name: area, places: shown.map(({ name, to }) => [navigation[name], to]) };
}

export const renderPage = (visit: Visit, page: Page): string => renderFrame(visit, frameOf(visit), page);
