import type { FastifyRequest } from 'fastify';
import { commonErrors, type Refusal } from '../errors/errors.ts';
import { queryFault } from './strict-query.ts';

const singleHeaders = new Set(['host', 'authorization', 'x-api-key']);

/** Refuses a request that a proxy and we could read differently. */
export function ambiguityIn(request: FastifyRequest): Refusal | undefined {
  const { rawHeaders } = request.raw;
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.includes(name))
      return commonErrors.invalidRequest({ message: `Header ${name} is given more than once` });
    seen.push(name);
  }
  // HTTP/1.0 has no such header; some health checks still speak it.
  if (!seen.includes('host') && request.raw.httpVersion !== '1.0')
    return commonErrors.invalidRequest({ message: 'Header host is missing' });
  const { expect } = request.headers;
  if (expect !== undefined && !/^(100-continue)?$/i.test(expect)) {
    return commonErrors.invalidRequest({ message: 'Header expect must be 100-continue' });
  }
  const fault = queryFault(request.query);
  return fault === undefined ? undefined : commonErrors.invalidRequest({ message: fault });
}
