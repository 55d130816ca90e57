import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { invitePerson, type NewPerson } from '#features/people';
import type { TestBrowser } from '#test/callers/browser';
import { type Answer, type Harness, noteSecret } from '#test/harness';

/** The origin of pages with passkeys: no browser accepts them for an IP address. */
export const localhostOf = ({ url }: Harness) => url.replace('127.0.0.1', 'localhost');

let made = 0;

/** A person of the operator with the role admin, unless said otherwise, and the link of their invitation. */
export async function makePerson(harness: Harness, given: Partial<NewPerson> = {}) {
  made += 1;
  const person = { name: 'Ana Ribeiro', email: `ana-${made}@example.com`, role: 'admin', ...given };
  const { url, person: invited } = await invitePerson(harness.operatorContext(), person);
  noteSecret(url.split('/').at(-1)!);
  return { ...invited, url };
}

/** A page whose browser has an authenticator that always finds its owner present. */
export async function openWithPasskeys(harness: Harness, browser: TestBrowser, options: object = {}) {
  const { page, strayed, errors } = await browser.open(localhostOf(harness), options);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { page, strayed, errors, devtools, authenticatorId };
}

export type PasskeyPage = Awaited<ReturnType<typeof openWithPasskeys>>;

/** The only credential of the authenticator. */
export async function credentialOf({
  devtools,
  authenticatorId,
}: Pick<PasskeyPage, 'devtools' | 'authenticatorId'>) {
  const { credentials } = await devtools.send('WebAuthn.getCredentials', { authenticatorId });
  assert.equal(credentials.length, 1);
  return credentials[0]!;
}

/** Presses the button of the page's ceremony and waits for the account. */
export async function press(page: Page): Promise<void> {
  // Its own, which must not be taken for that of the next page.
  await page.waitForLoadState();
  const loaded = page.waitForEvent('load');
  await page.locator('[data-ceremony] button').first().click();
  await loaded;
}

/** What the browser answers to options, in any page; the page's script is not involved. */
export async function answerInPage(page: Page, kind: 'create' | 'get', options: object): Promise<object> {
  // As text: TypeScript knows no browser here.
  const { id, rawId, type, clientExtensionResults, response } = (await page.evaluate(`(async () => {
    const options = ${JSON.stringify(options)};
    const publicKey = ${
      kind === 'create'
        ? 'PublicKeyCredential.parseCreationOptionsFromJSON(options)'
        : 'PublicKeyCredential.parseRequestOptionsFromJSON(options)'
    };
    return (await navigator.credentials.${kind}({ publicKey })).toJSON();
  })()`)) as Record<string, Record<string, string>>;
  const { clientDataJSON, attestationObject, authenticatorData, signature, userHandle } = response!;
  const answered =
    kind === 'create'
      ? { clientDataJSON, attestationObject }
      : { clientDataJSON, authenticatorData, signature, userHandle };
  return { id, rawId, type, clientExtensionResults, response: answered };
}

/** Registers by the invitation; afterwards the person is signed in. */
export async function register({ page }: { page: Page }, url: string): Promise<void> {
  await page.goto(url);
  await press(page);
}

/** What a console would send: the cookie, and the token of the session in a header. */
export async function callOperator(page: Page, command: string, input: object = {}, headers: object = {}) {
  const csrf = await page.locator('input[name=csrf]').first().inputValue();
  const answer: { status: number; body: Answer['body'] } = await page.evaluate(
    async ({ command, input, headers }) => {
      const response = await fetch(`/operator/${command}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(input),
      });
      return { status: response.status, body: await response.json() };
    },
    { command, input, headers: { 'x-csrf-token': csrf, ...headers } },
  );
  return answer;
}

/** The body that the page sends to `path` while `work` runs. */
export async function bodySentTo(page: Page, path: string, work: () => Promise<unknown>): Promise<string> {
  const sent = page.waitForRequest((request) => new URL(request.url()).pathname === path);
  const [request] = await Promise.all([sent, work()]);
  return request.postData()!;
}
