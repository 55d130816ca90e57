import { beginSession, contextOf, type NewPerson, personCookie } from '#features/people';
import { csrfTokenOf } from '#platform/pages/csrf';
import { type Answer, type Harness, noteSecret } from '#test/harness';
import { localhostOf, makePerson } from './people.ts';

/** A browser of a signed-in person, without a browser. */
export interface Visitor {
  cookie: string;
  csrf: string;
  email: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** A form with its token. */
  post(
    path: string,
    fields: Record<string, string | string[]>,
    headers?: Record<string, string>,
  ): Promise<Answer>;
}

/** Signs a new person in, as a passkey would. */
export async function signIn(harness: Harness, given: Partial<NewPerson> = {}): Promise<Visitor> {
  const { id, email } = await makePerson(harness, given);
  const ctx = contextOf(harness.deps, id, harness.deps.log);
  const { sessionSecret } = await beginSession(ctx, undefined);
  noteSecret(sessionSecret);
  const [cookie = ''] = personCookie.write(harness.deps.publicUrl, sessionSecret).split(';');
  const csrf = csrfTokenOf(sessionSecret);
  const { host } = new URL(localhostOf(harness));
  const get: Visitor['get'] = (path, headers = {}) =>
    harness.request('GET', path, { headers: { host, cookie, ...headers } });
  const post: Visitor['post'] = (path, fields, headers = {}) =>
    harness.request('POST', path, {
      headers: { host, cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: encode({ csrf, ...fields }),
    });
  return { cookie, csrf, email, get, post };
}

function encode(fields: Record<string, string | string[]>): string {
  const pairs = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value]),
  );
  return new URLSearchParams(pairs as [string, string][]).toString();
}

/** The value of a hidden field. */
export function hiddenIn(page: string, name: string): string {
  const start = `name="${name}" value="`;
  const at = page.indexOf(start);
  if (at === -1) throw new Error(`no hidden field ${name}`);
  return page.slice(at + start.length, page.indexOf('"', at + start.length));
}

/** Addresses of the links of a page. */
export const linksIn = (page: string): string[] =>
  [...page.matchAll(/<a [^>]*?href="([^"]*)"/g)].map(([, address]) => unescaped(address!));

/** A page as a reader sees its characters. */
export const unescaped = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_all, code: string) => String.fromCharCode(Number(code)));
