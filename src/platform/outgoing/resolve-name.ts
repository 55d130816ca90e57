import { Resolver } from 'node:dns/promises';
import { errorCode } from '../errors/startup-error.ts';
import { OutgoingFault, OutgoingRefusal } from './errors.ts';

/** All addresses of a name. */
export type ResolveName = (name: string) => Promise<string[]>;

/**
 * Asks name servers: those of the system, or `servers`. The system's own lookup, `getaddrinfo`, would hold
 * one of four threads while a slow name server does not answer, and so delay names of others.
 */
export function nameResolver(servers?: readonly string[]): ResolveName {
  return async (name) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const [cause] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    const code = errorCode(cause) ?? 'ENODATA';
    throw new OutgoingFault('dns', `The name of the host could not be resolved (${code}).`, { cause });
  };
}

/** Resolves a name once. One forbidden address among several is a refusal: a peer could choose that one. */
export function checkedResolver(resolve: ResolveName, isAllowed: (address: string) => boolean): ResolveName {
  return async (name) => {
    const addresses = await resolve(name);
    if (addresses.every(isAllowed)) return addresses;
    throw new OutgoingRefusal('The name of the host leads to an address that is not allowed.');
  };
}
