import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { HttpServer } from './http.ts';

// The page hides its icons by inline styles; scripts come from this server only.
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export interface ApiDescription {
  title: string;
  version: string;
  description: string;
  /** Ways to authenticate, by the name that routes refer to. */
  securitySchemes: Record<string, ReturnType<typeof bearer | typeof headerKey>>;
}

/**
 * `/openapi.json`, generated from the schemas that validate, and `/docs`, a reference page that loads no
 * external assets.
 */
export async function openapiRoutes(server: HttpServer, description: ApiDescription): Promise<void> {
  const { title, version, securitySchemes } = description;
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description: description.description },
      // Relative, so that it is right at any address and behind any proxy.
      servers: [{ url: '/' }],
      components: { securitySchemes },
    },
  });
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: contentPolicy,
    uiConfig: {
      docExpansion: 'list',
      tryItOutEnabled: true,
      persistAuthorization: false,
      validatorUrl: null,
    },
    theme: {
      title: `${title} API reference`,
      css: [{ filename: 'causeway.css', content: '.swagger-ui .topbar { display: none }' }],
    },
  });
  server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger());
}

export const headerKey = (name: string, description: string) =>
  ({ type: 'apiKey', in: 'header', name, description }) as const;

export const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description }) as const;
