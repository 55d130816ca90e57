import { sessionLifetimeMs } from '#features/connect/sessions';

/**
 * Browsers accept a name with this prefix only from our host, over https, for all paths: no neighbouring site
 * can set one.
 */
const nameFor = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Host-causeway_session' : 'causeway_session';

const attributesFor = (publicUrl: string) =>
  `Path=/; HttpOnly; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`;

/**
 * Two cookies of the name mean that another site, such as a neighbour over http, has set one: ignore both.
 */
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
