import assert from 'node:assert/strict';
import type { ConsentRequest } from '#features/connect/consents';
import { type Fields, signIn, type Visitor } from '#test/callers/visitor';
import { makeConsentRequest, makeIntegration, makeUser } from '#test/data/factories';
import { useHarness } from '#test/harness';

export const signInUrl = 'https://login.example.com/start?tenant=a';

/** All scopes of a consent. */
export const everything = ['profile', 'email', 'wallet', 'kyc'];

/** The pages where users decide: visitors, requests and what became of them. */
export function useConnectPages() {
  const harness = useHarness({ signInUrl });
  const newVisitor = async () => signIn(harness, (await makeUser(harness)).id);
  const sql = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

  /** A request that nobody answered yet, and its page. */
  async function ask(fields: Partial<ConsentRequest> = {}) {
    const integration = await makeIntegration(harness);
    const { consent, linkToken } = await makeConsentRequest(harness, integration, {
      optionalScopes: ['wallet', 'kyc'],
      state: 'st/ate',
      ...fields,
    });
    return { integration, consentId: consent.id, path: `/connect/requests/${linkToken}` };
  }

  const read = ({ token }: { token: string }, consentId: string) =>
    harness.request('GET', `/api/v1/consent/${consentId}/user`, { headers: { 'x-api-key': token } });

  const statusOf = async (consentId: string) =>
    (await sql('select status from consents where id = $1', [consentId]))[0]!.status;

  /** Opens the page, as one must before one decides, and sends its form. */
  async function decide(visitor: Visitor, path: string, fields: Fields, headers?: Record<string, string>) {
    assert.equal((await visitor.get(path)).status, 200);
    return visitor.post(path, fields, headers);
  }

  return { harness, newVisitor, sql, ask, read, statusOf, decide };
}
