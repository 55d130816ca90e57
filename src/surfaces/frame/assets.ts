import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Deps } from '#context';
import type { HttpServer } from '#platform/http/http';
import { brandRules, readStyleSheet } from '#platform/http/theme';
import { securityHeaders } from '#platform/pages/security-headers';
import type { Brand } from '#platform/values/brand';

/** The address of a file whose content is known: browsers keep it until the content changes. */
export const versioned = (path: string, content: string) =>
  `${path}?v=${hash('sha256', content).slice(0, 12)}`;

const script = readFileSync(path.join(import.meta.dirname, 'frame.js'), 'utf8');
export const scriptAddress = versioned('/frame/frame.js', script);

const plainSheet = readStyleSheet(import.meta.dirname, 'frame.css');
const styleSheetOf = ({ color }: Brand): string =>
  color === undefined ? plainSheet : `${plainSheet}\n${brandRules(color)}`;

export const styleAddressOf = (brand: Brand): string => versioned('/frame/frame.css', styleSheetOf(brand));

export interface Asset {
  /** Below the prefix of `scope`. */
  path: string;
  type: 'text/css' | 'text/javascript';
  /** From `versioned`. */
  address: string;
  text: string;
}

export function serveAsset(scope: HttpServer, { path, type, address, text }: Asset): void {
  scope.get(path, { exposeHeadRoute: false }, (request, reply) => {
    reply.headers(securityHeaders);
    // Another version may ask for its own, while processes are replaced one by one.
    if (request.url === address) reply.header('cache-control', 'public, max-age=31536000, immutable');
    return reply.type(`${type}; charset=utf-8`).send(text);
  });
}

/** The style sheet and the script of all pages for staff. */
export function frameRoutes(server: HttpServer, { brand }: Deps): void {
  const sheet = { address: styleAddressOf(brand), text: styleSheetOf(brand) };
  serveAsset(server, { path: '/frame/frame.css', type: 'text/css', ...sheet });
  serveAsset(server, {
    path: '/frame/frame.js',
    type: 'text/javascript',
    address: scriptAddress,
    text: script,
  });
}
