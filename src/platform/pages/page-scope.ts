import type { FastifyReply, HttpServer } from '../http/http.ts';
import { formBytesMax, parseForm } from './form.ts';

/** Routes of these pages read forms and no other bodies. */
export function readFormsOnly(
  scope: Pick<HttpServer, 'removeAllContentTypeParsers' | 'addContentTypeParser'>,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formBytesMax },
    async (_request: unknown, body: string) => parseForm(body),
  );
}

export const sendPage = (reply: FastifyReply, page: string, status = 200) =>
  reply.status(status).type('text/html; charset=utf-8').send(page);
