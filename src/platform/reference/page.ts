import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { commonErrors } from '../errors/errors.ts';
import type { FastifyReply, FastifyRequest, HttpServer } from '../http/http.ts';

const folder = path.join(import.meta.dirname, 'page');
const decompress = promisify(brotliDecompress);

// Scalar writes inline styles; scripts come from this server only, and nothing is evaluated.
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

/** `/docs`, and `/operator/docs`, which asks for a token. Neither loads anything from another host. */
export function pageRoutes(server: HttpServer): void {
  const viewer = new Asset('scalar.js.br', 'text/javascript; charset=utf-8');
  const script = new Asset('reference.js', 'text/javascript; charset=utf-8');
  const style = new Asset('reference.css', 'text/css; charset=utf-8');
  const assets = [viewer, script, style];
  const sendPage = (title: string, form = '') => {
    const html = renderPage(title, form, assets);
    return async (_request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ 'content-security-policy': contentPolicy, 'referrer-policy': 'no-referrer' });
      reply.type('text/html; charset=utf-8');
      return html();
    };
  };
  server.get('/docs', sendPage('Causeway API reference'));
  server.get('/docs/', (_request, reply) => reply.redirect('/docs', 308));
  server.get('/operator/docs', sendPage('Causeway operator reference', tokenForm));
  server.get('/docs/:asset', async (request, reply) => {
    const { asset: name } = request.params as { asset: string };
    const asset = assets.find((one) => one.isNamed(name));
    if (!asset) throw commonErrors.notFound();
    const takesBrotli = /\bbr\b/.test(String(request.headers['accept-encoding'] ?? ''));
    reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' });
    reply.type(asset.type);
    if (asset.isCompressed && takesBrotli) reply.header('content-encoding', 'br');
    return asset.isCompressed && !takesBrotli ? decompress(asset.bytes) : asset.bytes;
  });
}

/** A file of the page, read when it is first needed; its address changes with its content. */
class Asset {
  readonly type: string;
  readonly isCompressed: boolean;
  readonly #file: string;
  #bytes: Buffer | undefined;
  #name: string | undefined;

  constructor(file: string, type: string) {
    this.#file = file;
    this.type = type;
    this.isCompressed = file.endsWith('.br');
  }

  get bytes(): Buffer {
    this.#bytes ??= readFileSync(path.join(folder, this.#file));
    return this.#bytes;
  }

  get name(): string {
    this.#name ??= `${createHash('sha256').update(this.bytes).digest('hex').slice(0, 12)}-${this.#file.replace(/\.br$/, '')}`;
    return this.#name;
  }

  isNamed(name: string): boolean {
    return name.endsWith(this.#file.replace(/\.br$/, '')) && name === this.name;
  }
}

function renderPage(title: string, form: string, [viewer, script, style]: readonly Asset[]): () => string {
  return () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/${style!.name}">
</head>
<body>
${form}<div id="reference"></div>
<script src="/docs/${viewer!.name}"></script>
<script src="/docs/${script!.name}"></script>
<noscript>This page needs JavaScript. The document is at /openapi.json.</noscript>
</body>
</html>
`;
}

const tokenForm = `<form class="token">
<h1>Operator reference</h1>
<p>Enter a token of <code>OPERATOR_TOKENS</code>. It stays in this page.</p>
<label for="token">Operator token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button>Show the reference</button>
<p role="alert"></p>
</form>
`;
