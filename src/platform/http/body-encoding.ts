import type { FastifyRequest } from 'fastify';
import { commonErrors, type Refusal } from '../errors/errors.ts';

/** Bodies are read as they are, as UTF-8: compressed ones and other character sets are refused. */
export function encodingFault({ headers }: FastifyRequest): Refusal | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return commonErrors.unsupportedEncoding();
  }
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset) ? undefined : commonErrors.unsupportedCharset();
}
