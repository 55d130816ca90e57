import { applyForIntegration, findApplication, type NewApplication } from '#features/connect/applications';
import { createSecret } from '#platform/secrets/secret';
import { type Harness, noteSecret } from '#test/harness';

let made = 0;

export const applicationTerms = (fields: Partial<NewApplication> = {}): NewApplication => ({
  name: 'Lender',
  logoColor: '#1a7f5a',
  purposes: ['Open an account'],
  scopes: ['profile', 'email'],
  redirectUris: ['https://app.example.com/back'],
  homepageUrl: 'https://app.example.com/',
  privacyUrl: null,
  applicantName: 'Eva Souza',
  applicantEmail: `eva-${made}@example.org`,
  ...fields,
});

/** An open application, and the secret of its private link. */
export async function makeApplication(harness: Harness, fields: Partial<NewApplication> = {}) {
  made += 1;
  const at = { db: harness.deps.db, now: harness.deps.clock() };
  const input = applicationTerms(fields);
  const { linkSecret } = await applyForIntegration(at, { input, formSecret: createSecret() });
  const { id } = await findApplication(at, noteSecret(linkSecret));
  return { id, linkSecret };
}
