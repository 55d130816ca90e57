import assert from 'node:assert/strict';
import { makeSignInLink } from '#features/connect/sessions';
import { type Harness, noteSecret } from '#test/harness';

export interface Page {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends requests as a browser would, but follows no redirect, so that tests see it. */
export async function visit(
  url: string,
  {
    method = 'GET',
    headers = {},
    form,
  }: { method?: string; headers?: Record<string, string>; form?: string } = {},
): Promise<Page> {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
    headers: {
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headers,
    },
    ...(form !== undefined && { body: form }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A signed-in user, as far as HTTP is concerned. */
export interface Visitor {
  userId: string;
  cookie: string;
  csrf: string;
  get(path: string, headers?: Record<string, string>): Promise<Page>;
  /** Sends a form as a page of this session would, unless the fields say otherwise. */
  post(path: string, fields?: Fields, headers?: Record<string, string>): Promise<Page>;
}

export type Fields = Record<string, string | string[] | undefined>;

export function encodeForm(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as [string, string]),
  );
  return new URLSearchParams(pairs).toString();
}

export async function makeLink(harness: Harness, userId: string, returnTo?: string): Promise<string> {
  const { url } = await makeSignInLink(harness.operatorContext(), { userId, ...(returnTo && { returnTo }) });
  noteSecret(url.split('/').at(-1)!);
  return url;
}

export async function signIn(harness: Harness, userId: string): Promise<Visitor> {
  const { status, headers } = await visit(await makeLink(harness, userId));
  assert.equal(status, 303);
  const cookie = cookieIn(headers);
  const get: Visitor['get'] = (path, headers = {}) =>
    visit(harness.url + path, { headers: { cookie, ...headers } });
  const csrf = csrfIn((await get('/connect/apps')).text);
  const post: Visitor['post'] = (path, fields = {}, headers = {}) =>
    visit(harness.url + path, {
      method: 'POST',
      form: encodeForm({ csrf, ...fields }),
      headers: { cookie, origin: harness.deps.publicUrl, 'sec-fetch-site': 'same-origin', ...headers },
    });
  return { userId, cookie, csrf, get, post };
}

/** `name=value` of the cookie that an answer sets; its value must be in no log and no database. */
export function cookieIn(headers: Headers): string {
  const [cookie = ''] = headers.getSetCookie().map((header) => header.split(';')[0]!);
  noteSecret(cookie.split('=')[1]!);
  return cookie;
}

export function csrfIn(page: string): string {
  const [, csrf] = /name="csrf" value="([^"]+)"/.exec(page) ?? [];
  assert.ok(csrf, 'the page has no form');
  return noteSecret(csrf);
}
