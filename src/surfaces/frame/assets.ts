import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deps } from '#context';
import type { FastifyReply, HttpServer } from '#platform/http/http';
import { brandRules, readStyleSheet } from '#platform/http/theme';
import { securityHeaders } from '#platform/pages/security-headers';
import type { Brand } from '#platform/values/brand';

const versioned = (file: string, content: string) =>
  `/frame/${file}?v=${hash('sha256', content).slice(0, 12)}`;

const script = readFileSync(path.join(import.meta.dirname, 'frame.js'), 'utf8');
export const scriptAddress = versioned('frame.js', script);

const plainSheet = readStyleSheet(import.meta.dirname, 'frame.css');
const styleSheetOf = ({ color }: Brand): string =>
  color === undefined ? plainSheet : `${plainSheet}\n${brandRules(color)}`;

export const styleAddressOf = (brand: Brand): string => versioned('frame.css', styleSheetOf(brand));

/** The style sheet and the script of all pages for staff. */
export function frameRoutes(server: HttpServer, { brand }: Deps): void {
  const route = { exposeHeadRoute: false };
  const send =
    (type: string, address: string, text: string) => (request: { url: string }, reply: FastifyReply) => {
      reply.headers(securityHeaders);
      // Another version may ask for its own, while processes are replaced one by one.
      if (request.url === address) reply.header('cache-control', 'public, max-age=31536000, immutable');
      return reply.type(`${type}; charset=utf-8`).send(text);
    };
  server.get('/frame/frame.css', route, send('text/css', styleAddressOf(brand), styleSheetOf(brand)));
  server.get('/frame/frame.js', route, send('text/javascript', scriptAddress, script));
}
