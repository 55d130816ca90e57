import { randomBytes } from 'node:crypto';
import { createEvm } from '#adapters/evm';
import { noIssuer } from '#adapters/issuer';
import { noPrices } from '#adapters/prices';
import { createScreening } from '#adapters/screening';
import { contextFor } from '#context';
import { authenticateKey, issueKey } from '#features/keys';
import { allowUser, createPartner } from '#features/partners';
import { createUser } from '#features/users';
import { createOutgoing } from '#platform/outgoing/index';
import { createSealer } from '#platform/secrets/seal';
import { systemClock } from '#platform/values/clock';
import { type Bench, compareRates, printRatio } from './measure.ts';

/**
 * What authenticating costs, against one bare single-row look-up through the same pool; with 10,000 keys in
 * the table.
 */
export const run: Bench = async ({ db, log }) => {
  const sealer = createSealer(new Map([[1, randomBytes(32)]]));
  const ctx = contextFor(
    {
      db,
      clock: systemClock,
      sealer,
      evm: createEvm([]),
      screening: createScreening(undefined),
      issuer: noIssuer,
      prices: noPrices,
      outgoing: createOutgoing({ allowsLoopbackHttp: false, ports: [], allowedBlocks: [] }),
      publicUrl: 'http://127.0.0.1',
      brand: { name: 'Causeway', address: [] },
      isReplicationSynchronous: false,
      deploymentId: 'bench',
      installation: { databasePoolMax: 10, isDurabilityRequired: false, secretFiles: [], replicas: [] },
    },
    { kind: 'operator', name: 'bench', role: 'admin' },
    log,
  );
  const { id: partnerId } = await createPartner(ctx, { name: 'Bench' });
  const { id: userId } = await createUser(ctx, {
    email: 'bench@example.com',
    givenName: 'B',
    familyName: 'B',
  });
  await allowUser(ctx, { partnerId, userId });
  const key = await issueKey(ctx, { name: 'bench', partnerId, userId, scopes: ['mcp'] });
  const locked = await issueKey(ctx, {
    name: 'bench',
    partnerId,
    userId,
    ipAllowlist: ['10.0.0.0/8', '2001:db8::/32'],
  });
  await db.query(
    `insert into api_keys (id, secret_sha256, name, partner_id, user_id, scopes, ip_allowlist, created_at)
     select translate(substr(md5(n::text), 1, 16), '0189', 'ghij'), sha256(n::text::bytea), 'other', $1, $2, '{}', '{}', now()
     from generate_series(1, 10000) n on conflict do nothing`,
    [partnerId, userId],
  );
  const authenticate = (token: string) => () =>
    authenticateKey({ db, now: new Date() }, { authorization: `Bearer ${token}`, address: '10.1.2.3' });
  const rates = await compareRates({
    limit: () => db.query('select secret_sha256 from api_keys where id = $1', [key.id]),
    key: authenticate(key.token),
    keyWithAddressList: authenticate(locked.token),
    madeUpToken: authenticate(`${key.token.slice(0, -1)}0`),
  });
  printRatio('authenticate a key / bare single-row select', rates.key, rates.limit);
  printRatio('… with an address list', rates.keyWithAddressList, rates.limit);
  printRatio('refuse a made-up token', rates.madeUpToken, rates.limit);
};
