import { hash } from 'node:crypto';
import { type Ctx, inTransaction } from '#context';
import { recordChange } from '#features/audit';
import { invalidField } from '#platform/errors/errors';
import type { Picture } from '#platform/values/picture';
import { redrawPng } from '#platform/values/redraw-png';
import { integrationErrors } from './errors.ts';
import { deleteLogo, lockIntegration, selectIntegration, upsertLogo } from './queries.ts';
import { type IntegrationView, presentIntegration } from './wire.ts';

/** Sharp at the size of our pages on a dense screen. */
const logoSize = 192;
const fileBytesMax = 500_000;

/** Sets or removes the logo. What we serve are the pixels of the picture, written to a new file. */
export function setLogo(
  ctx: Ctx,
  { integrationId, logo }: { integrationId: string; logo: string | null },
): Promise<IntegrationView> {
  const png = logo === null ? null : redraw(logo);
  return inTransaction(ctx, async (ctx) => {
    await lockIntegration(ctx.db, integrationId);
    const before = await selectIntegration(ctx.db, integrationId);
    if (!before) throw integrationErrors.integrationNotFound();
    if (before.revokedAt && png) throw integrationErrors.integrationRevoked();
    const logoSha256 = png && hash('sha256', png);
    const after = { ...before, logoSha256 };
    if (logoSha256 === before.logoSha256) return presentIntegration(before);
    if (png) await adoptLogo(ctx, { integrationId, logo: { type: 'image/png', bytes: png } });
    else await deleteLogo(ctx.db, integrationId);
    await recordChange(ctx, {
      action: 'integrations.set-logo',
      subject: `integration:${integrationId}`,
      before: { logoSha256: before.logoSha256 },
      after: { logoSha256 },
    });
    return presentIntegration(after);
  });
}

/** Stores a logo as it is. The caller records the change. */
export async function adoptLogo(
  { db, now }: Pick<Ctx, 'db' | 'now'>,
  { integrationId, logo }: { integrationId: string; logo: Picture },
): Promise<void> {
  await upsertLogo(db, { integrationId, sha256: hash('sha256', logo.bytes), logo, setAt: now });
}

function redraw(logo: string): Buffer {
  const file = Buffer.from(logo, 'base64');
  if (file.length > fileBytesMax) throw invalidField('logo', 'must be a file of at most 500 KB');
  const redrawn = redrawPng(file, logoSize);
  if ('fault' in redrawn) throw invalidField('logo', redrawn.fault);
  return redrawn.png;
}
