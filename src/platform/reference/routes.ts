import type { HttpServer } from '../http/http.ts';
import { buildDocument, type DescribedRoute, type DocumentInfo } from './document.ts';
import type { Audience } from './operation.ts';
import { pageRoutes } from './page.ts';

/** Collects the routes that are mounted from now on, and writes their document when it is first read. */
export function collectRoutes(server: HttpServer) {
  const routes: DescribedRoute[] = [];
  server.addHook('onRoute', ({ method, url, schema = {}, config }) => {
    const operation = config?.reference;
    if (operation && method !== 'HEAD') routes.push({ method: String(method), url, schema, operation });
  });
  return (audience: Audience, info: DocumentInfo) => {
    let text: string | undefined;
    return () => {
      text ??= JSON.stringify(
        buildDocument(
          info,
          routes.filter(({ operation }) => operation.audience === audience),
        ),
      );
      return text;
    };
  };
}

/** `/openapi.json`, the document for partners, and the pages that show the documents. */
export function referenceRoutes(server: HttpServer, document: () => string): void {
  server.get('/openapi.json', async (_request, reply) => {
    reply.type('application/json; charset=utf-8');
    return document();
  });
  pageRoutes(server);
}

export const headerKey = (name: string, description: string) =>
  ({ type: 'apiKey', in: 'header', name, description }) as const;

export const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const;
