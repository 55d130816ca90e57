/** The servers of a database, as `DATABASE_URL` names them. */
export interface Hosts {
  /** One address for each server, in the order in which they are written. */
  urls: string[];
  /** Only the server that accepts writes may be used. */
  mustWrite: boolean;
}

const sessionKinds = ['any', 'read-write', 'primary'];

/**
 * `postgres://user:password@a:5432,b:5432/database?target_session_attrs=read-write`, as in libpq. Of several
 * servers the one that accepts writes is used.
 */
export function splitHosts(url: string): Hosts {
  const { start, hosts, path, query } = partsOf(url);
  const kind = query.get('target_session_attrs');
  query.delete('target_session_attrs');
  const rest = query.size === 0 ? path : `${path}?${query}`;
  const urls = hosts.split(',').map((host) => start + host + rest);
  return { urls, mustWrite: urls.length > 1 || (kind !== null && kind !== 'any') };
}

/** What is wrong with an address, in words; undefined if it can be used. */
export function faultOfHosts(url: string): string | undefined {
  const { hosts, query } = partsOf(url);
  const names = hosts.split(',');
  if (names.length > 1 && names.some((host) => !URL.canParse(`http://${host}`)))
    return 'must name each server as host or host:port, separated by commas';
  const kind = query.get('target_session_attrs');
  if (kind !== null && !sessionKinds.includes(kind))
    return `has target_session_attrs=${kind}; known: ${sessionKinds.join(', ')}`;
  return names.length > 1 && kind === 'any'
    ? 'names several servers: target_session_attrs must be read-write or primary'
    : undefined;
}

function partsOf(url: string) {
  const authorityAt = url.indexOf('://') + 3;
  const [address = '', search = ''] = splitAt(url, url.indexOf('?'));
  const slash = address.indexOf('/', authorityAt);
  const [authority = '', path = ''] = splitAt(
    address.slice(authorityAt),
    slash === -1 ? -1 : slash - authorityAt,
  );
  const at = authority.lastIndexOf('@');
  return {
    start: url.slice(0, authorityAt) + authority.slice(0, at + 1),
    hosts: authority.slice(at + 1),
    path,
    query: new URLSearchParams(search.slice(1)),
  };
}

const splitAt = (text: string, at: number): [string, string] =>
  at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)];
