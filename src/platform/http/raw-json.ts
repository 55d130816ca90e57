import type { FastifyInstance } from 'fastify';

/** Leaves JSON bodies of a scope as bytes: a signature is of the bytes as they came. */
export function keepJsonAsBytes(scope: FastifyInstance): void {
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => body,
  );
}
