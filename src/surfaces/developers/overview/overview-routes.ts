import type { Mount } from '../mount.ts';
import { type Activity, type OwnIntegration, renderOverview } from './overview-page.ts';

/** `/developers`. */
export function overviewRoutes({ page }: Mount): void {
  page('', async ({ visit, call }) => {
    const own = await call({ method: 'GET', url: '/api/integration' });
    const activity = await call({ method: 'GET', url: '/api/integration/activity' });
    return renderOverview(visit, {
      own: own.body as unknown as OwnIntegration,
      activity: activity.body as unknown as Activity,
    });
  });
}
