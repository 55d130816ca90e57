/** The cookie of one kind of session. */
export interface SessionCookie {
  /** The secret in a request's header `Cookie`. */
  read(publicUrl: string, header: string | undefined): string | undefined;
  write(publicUrl: string, secret: string): string;
  clear(publicUrl: string): string;
}

/**
 * Browsers accept a name with the prefix `__Host-` only from our host, over https, for all paths: no
 * neighbouring site can set one.
 */
export function defineSessionCookie(name: string, lifetimeMs: number): SessionCookie {
  const isHttps = (publicUrl: string) => publicUrl.startsWith('https:');
  const nameFor = (publicUrl: string) => (isHttps(publicUrl) ? `__Host-${name}` : name);
  const attributesFor = (publicUrl: string) =>
    `Path=/; HttpOnly; SameSite=Lax${isHttps(publicUrl) ? '; Secure' : ''}`;
  return {
    // If there are two of the name, another site has set one, such as a neighbour over http: ignore both.
    read(publicUrl, header) {
      const start = `${nameFor(publicUrl)}=`;
      const values = (header ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(start))
        .map((pair) => pair.slice(start.length));
      return values.length === 1 ? values[0] : undefined;
    },
    write: (publicUrl, secret) =>
      `${nameFor(publicUrl)}=${secret}; Max-Age=${lifetimeMs / 1000}; ${attributesFor(publicUrl)}`,
    clear: (publicUrl) => `${nameFor(publicUrl)}=; Max-Age=0; ${attributesFor(publicUrl)}`,
  };
}
