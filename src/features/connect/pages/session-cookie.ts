import { sessionLifetimeMs } from '#features/connect/sessions';

/** Browsers take a name with this prefix only from our own host, over https, for all of its paths: no neighbour can plant one. */
const nameFor = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Host-causeway_session' : 'causeway_session';

const attributesFor = (publicUrl: string) =>
  `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`;

/** Two of the name mean that somebody else, such as a neighbouring site over http, has set one: then neither counts. */
export function readSessionCookie(publicUrl: string, header: string | undefined): string | undefined {
  const name = nameFor(publicUrl);
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0] : undefined;
}

export const sessionCookie = (publicUrl: string, secret: string) =>
  `${nameFor(publicUrl)}=${secret}; Max-Age=${sessionLifetimeMs / 1000}; ${attributesFor(publicUrl)}`;

export const clearedCookie = (publicUrl: string) =>
  `${nameFor(publicUrl)}=; Max-Age=0; ${attributesFor(publicUrl)}`;
