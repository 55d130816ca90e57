import type { Deps } from '#context';
import type { HttpServer } from '#platform/http/http';
import { type Area, mountApiPages } from '#surfaces/frame';
import { addressRoutes } from './addresses/address-routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { accountRoutes } from './money/account-routes.ts';
import { newWithdrawalRoutes } from './money/new-routes.ts';
import { uploadRoutes } from './money/upload-routes.ts';
import { withdrawalRoutes } from './money/withdrawal-routes.ts';
import type { Mount, PartnerPageOptions } from './mount.ts';
import { overviewRoutes } from './overview/overview-routes.ts';
import { frameOf } from './page.ts';
import { requestRoutes } from './requests/request-routes.ts';
import { teamRoutes } from './team/team-routes.ts';
import { texts } from './texts/index.ts';
import { userRoutes } from './users/user-routes.ts';
import { type Visit, visitOf } from './visit.ts';
import { webhookRoutes } from './webhooks/webhook-routes.ts';

/** One line a part. */
const parts = [
  overviewRoutes,
  withdrawalRoutes,
  newWithdrawalRoutes,
  uploadRoutes,
  accountRoutes,
  userRoutes,
  addressRoutes,
  keyRoutes,
  webhookRoutes,
  requestRoutes,
  teamRoutes,
];

/** Pages for staff of partners, over the partner API. */
export function partnerPages(server: HttpServer, deps: Deps, options: PartnerPageOptions): void {
  const area: Area<Visit> = {
    prefix: '/partner',
    visitOf: (request) => visitOf(deps, request),
    frameOf,
    messagesOf: ({ language }) => texts[language].messages,
    foreign: ['not_partner_staff'],
    // A form with events has a box for each type.
    fieldsMax: 100,
  };
  mountApiPages(server, deps, area, (pages) => {
    const mount: Mount = { ...pages, server, deps, options };
    for (const add of parts) add(mount);
  });
}
