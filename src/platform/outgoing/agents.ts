import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ResolveName } from './resolve-name.ts';

/** Below the 5 s after which many servers close an idle connection. */
const idleMs = 4_000;

/** After it a connection is opened again, so that a changed address of a name is noticed and checked. */
const keptMsMax = 60_000;

const pool = {
  keepAlive: true,
  // The caller bounds connections to one receiver; many of them may share a host.
  maxSockets: 256,
  maxFreeSockets: 16,
  timeout: idleMs,
  scheduling: 'lifo',
} as const;

/** An address that does not answer is given up for the next one after a second, not after Node's 250 ms. */
const addresses = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1_000 };

const tls = { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const;

export interface Agents {
  /** Keeps connections for the next request. */
  kept: HttpAgent;
  /** Opens a connection for each request. */
  single: HttpAgent;
}

/**
 * Every connection of an agent goes to an address that its lookup returned, so what is checked is what is
 * connected to. Node calls no lookup for a literal address, which was judged with its URL. An agent of ours
 * ignores the proxy variables.
 */
export function createAgents(resolveChecked: ResolveName): Record<'http:' | 'https:', Agents> {
  const https = { ...addresses, ...tls, lookup: lookupBy(resolveChecked) };
  // The only name to which plain http is allowed is localhost.
  const http = { ...addresses, lookup: lookupBy(async () => ['127.0.0.1', '::1']) };
  return {
    'https:': { kept: new AgingAgent({ ...https, ...pool }), single: new HttpsAgent(https) },
    'http:': { kept: new HttpAgent({ ...http, ...pool }), single: new HttpAgent(http) },
  };
}

class AgingAgent extends HttpsAgent {
  readonly #firstKeptAt = new WeakMap<Duplex, number>();

  /** Node keeps the connection if this returns true. */
  override keepSocketAlive(socket: Duplex): unknown {
    const firstKeptAt = this.#firstKeptAt.get(socket) ?? Date.now();
    this.#firstKeptAt.set(socket, firstKeptAt);
    return Date.now() - firstKeptAt < keptMsMax && super.keepSocketAlive(socket);
  }
}

function lookupBy(resolve: ResolveName): LookupFunction {
  return (name, _options, done) => {
    resolve(name).then(
      (found) =>
        done(
          null,
          found.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 })),
        ),
      (error) => done(error, []),
    );
  };
}
