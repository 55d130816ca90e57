import { dayMs } from '#platform/values/duration';
import { makeUser, userContextOf } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { jobs } from '../../src/app.ts';

/** A server for a test file, and calls of integrations to it. */
export function useConsents() {
  const harness = useHarness();

  const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

  const minuteMs = 60_000;

  const wireRequest = {
    scopes: ['kyc', 'email'],
    optional_scopes: ['kyc'],
    redirect_uri: 'https://app.example.com/back',
    state: 'x y&z=é',
    purpose: 'Open an account',
    duration: { type: 'days', days: 30 },
  };

  const call = (
    { token }: { token: string },
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) =>
    harness.request(method, `/api/v1/consent/${path}`, { headers: { 'x-api-key': token, ...headers }, body });

  const makeOwner = async () => userContextOf(harness, (await makeUser(harness)).id);

  const actionsOf = async (consentId: string) =>
    (
      await sql('select actor_kind, action from audit_log where subject = $1 order by id', [
        `consent:${consentId}`,
      ])
    ).map(({ actor_kind, action }) => `${actor_kind} ${(action as string).replace('consents.', '')}`);

  const runJob = (name: string) => jobs.find((job) => job.name === name)!.run(harness.deps);

  /** So many consents like one, by the moves that the database allows. */
  async function grantCopies(id: string, userId: string, count: number): Promise<void> {
    await sql(
      `insert into consents (integration_id, purpose, requested_scopes, optional_scopes, duration, duration_days,
         redirect_uri, link_sha256, link_expires_at, requested_at)
       select integration_id, purpose, requested_scopes, optional_scopes, duration, duration_days, redirect_uri,
         sha256((id::text || n)::bytea), link_expires_at, requested_at
       from consents, generate_series(1, $2::integer) n where id = $1`,
      [id, count],
    );
    const copies = `c.status = 'awaiting' and c.integration_id = o.integration_id and o.id = $1`;
    await sql(`update consents c set user_id = $2 from consents o where ${copies}`, [id, userId]);
    await sql(
      `update consents c set status = 'active', scopes = o.scopes, decided_at = o.decided_at, expires_at = o.expires_at
       from consents o where ${copies}`,
      [id],
    );
  }

  return { grantCopies, harness, sql, minuteMs, dayMs, wireRequest, call, makeOwner, actionsOf, runJob };
}
