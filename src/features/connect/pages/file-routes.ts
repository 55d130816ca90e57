import type { Deps } from '#context';
import { readLogo } from '#features/connect/integrations';
import type { FastifyReply, HttpServer } from '#platform/http/http';
import { pictureHeaders } from '#platform/pages/security-headers';
import { brandFiles } from './brand.ts';
import { route } from './visit.ts';

/** The brand's style and pictures, and logos of apps. */
export function fileRoutes(scope: HttpServer, deps: Deps): void {
  for (const { address, type, content } of brandFiles(deps.brand).files) {
    // During an upgrade a page of another process may ask for what only that process has.
    scope.get(address.split('?')[0]!.slice('/connect'.length), route, (request, reply) =>
      sendFile(reply, { type, content, isLasting: request.url === address }),
    );
  }

  scope.get<{ Params: { integrationId: string; sha256: string } }>(
    '/logos/:integrationId/:sha256',
    route,
    async (request, reply) => {
      const { type, bytes } = await readLogo(deps, request.params);
      reply.headers(pictureHeaders);
      return sendFile(reply, { type, content: bytes, isLasting: true });
    },
  );
}

interface SentFile {
  type: string;
  content: string | Buffer;
  /** Its address changes with its content. */
  isLasting: boolean;
}

function sendFile(reply: FastifyReply, { type, content, isLasting }: SentFile) {
  if (isLasting) reply.header('cache-control', 'public, max-age=31536000, immutable');
  return reply.type(type).send(content);
}
