import { isIP } from 'node:net';
import { callerAddress, type FastifyRequest } from '#platform/http/http';
import type { Origin } from './queries/creations.ts';

/** A trusted proxy may forward any text as an address; only addresses are stored. */
export function originOf(request: FastifyRequest): Origin {
  const address = callerAddress(request);
  return { callerAddress: isIP(address) === 0 ? null : address, requestId: request.id };
}
