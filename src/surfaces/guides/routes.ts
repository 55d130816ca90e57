import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyReply } from 'fastify';
import type { HttpServer } from '#platform/http/http';
import { type GuidePage, renderHits, renderPage, renderUnknown } from './guide-page.ts';
import { addressOf, type Guide, indexName, type Library, openLibrary } from './library.ts';
import { renderMarkdown } from './render-markdown.ts';
import { searchGuides } from './search.ts';

const styleSheet = readFileSync(path.join(import.meta.dirname, 'guides.css'), 'utf8');
const queryLengthMax = 100;

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // An upgrade brings other guides.
  'cache-control': 'no-cache',
  'x-robots-tag': 'noindex, nofollow',
};

/** docs/ as pages: `/guides` lists and searches, `/guides/<name>` is a guide or a file beside it. */
export function guideRoutes(server: HttpServer): void {
  server.get<{ Querystring: { q?: string } }>('/guides', (request, reply) => {
    const library = openLibrary();
    const query = (request.query.q ?? '').slice(0, queryLengthMax).trim();
    if (query === '') return sendGuide(reply, library, library.guides.get(indexName)!);
    const hits = searchGuides(library.guides.values(), query);
    return send(reply, { title: `Search: ${query}`, query, content: renderHits(query, hits) });
  });

  server.get<{ Params: { '*': string } }>('/guides/*', (request, reply) => {
    const library = openLibrary();
    const name = request.params['*'];
    if (name === '' || name === indexName) return reply.redirect('/guides', 308);
    const guide = library.guides.get(name);
    if (guide) return sendGuide(reply, library, guide);
    const attachment = library.attachments.get(name);
    if (attachment) return reply.headers(headers).type(typeOf(name)).send(attachment);
    return send(reply.status(404), { title: 'No such guide', content: renderUnknown() });
  });

  server.get('/guides.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(styleSheet));
}

const rendered = new WeakMap<Guide, string>();

function sendGuide(reply: FastifyReply, library: Library, guide: Guide): FastifyReply {
  let page = rendered.get(guide);
  if (page === undefined) {
    const content = renderMarkdown(guide.markdown, (link) => addressOf(library, guide, link));
    page = renderPage({ title: guide.title, content });
    rendered.set(guide, page);
  }
  return sendHtml(reply, page);
}

const send = (reply: FastifyReply, page: GuidePage) => sendHtml(reply, renderPage(page));

const sendHtml = (reply: FastifyReply, page: string) =>
  reply.headers(headers).type('text/html; charset=utf-8').send(page);

function typeOf(file: string): string {
  if (file.endsWith('.png')) return 'image/png';
  return file.endsWith('.json') ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8';
}
