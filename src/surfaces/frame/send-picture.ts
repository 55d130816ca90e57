import type { FastifyReply } from '#platform/http/http';
import { pictureHeaders } from '#platform/pages/security-headers';
import type { Picture } from '#platform/values/picture';

/** A picture for this reader only, at an address that changes with its content. */
export function sendPrivatePicture(reply: FastifyReply, { type, bytes }: Picture): FastifyReply {
  reply.headers({ ...pictureHeaders, 'cache-control': 'private, max-age=31536000, immutable' });
  return reply.type(type).send(bytes);
}
