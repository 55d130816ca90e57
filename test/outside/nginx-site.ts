import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import path from 'node:path';
import { findTool } from '#test/callers/tools';
import { waitUntil } from '#test/wait-until';
import { makeCertificate } from './certificate.ts';

export interface SiteAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Site {
  ask(method: string, path: string, options?: AskOptions): Promise<SiteAnswer>;
  /** What nginx has logged, both files. */
  readLogs(): string;
  stop(): Promise<void>;
}

export interface AskOptions {
  headers?: Record<string, string>;
  body?: string;
}

/** The name in docs/deploy/nginx.conf. */
export const siteName = 'connect.example.com';

/**
 * A real nginx with docs/deploy/nginx.conf. Only its ports, its certificate and the place of its logs are
 * changed.
 */
export async function startSite(
  folder: string,
  ports: { http: number; https: number; upstream: [number, number] },
): Promise<Site> {
  mkdirSync(path.join(folder, 'temp'), { recursive: true });
  const { key, certificate } = makeCertificate(folder, [`DNS:${siteName}`]);
  const [http, https] = [`127.0.0.1:${ports.http}`, `127.0.0.1:${ports.https}`];
  const site = readFileSync(path.resolve(import.meta.dirname, '../../docs/deploy/nginx.conf'), 'utf8')
    .replace('127.0.0.1:8080', `127.0.0.1:${ports.upstream[0]}`)
    .replace('127.0.0.1:8081', `127.0.0.1:${ports.upstream[1]}`)
    .replace('listen 80;', `listen ${http};`)
    .replace('listen 443 ssl', `listen ${https} ssl`)
    .replace(`/etc/letsencrypt/live/${siteName}/fullchain.pem`, certificate)
    .replace(`/etc/letsencrypt/live/${siteName}/privkey.pem`, key)
    .replaceAll('/var/log/nginx', folder);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off;\npid ${folder}/nginx.pid;\nerror_log ${folder}/nginx-error.log;\nworker_processes 1;
events { worker_connections 256; }
http {
${kinds.map((kind) => `  ${kind}_temp_path ${folder}/temp/${kind};`).join('\n')}
${site}
}
`,
  );
  const nginx = spawn(findTool('nginx')!, ['-p', folder, '-c', file, '-e', `${folder}/nginx-error.log`], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const agentOptions = {
    host: '127.0.0.1',
    port: ports.https,
    servername: siteName,
    ca: readFileSync(certificate),
  };
  const ask: Site['ask'] = (method, where, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(
        { ...agentOptions, method, path: where, headers: { host: siteName, ...headers }, timeout: 60_000 },
        (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk) => (text += chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode!, headers: response.headers, text }),
          );
          response.on('error', reject);
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  await waitUntil('nginx answers', () => isServing(nginx, ask));
  return {
    ask,
    readLogs: () =>
      ['causeway.log', 'causeway-error.log']
        .map((name) => readFileSync(path.join(folder, name), 'utf8'))
        .join(''),
    async stop() {
      if (nginx.exitCode !== null) return;
      const exited = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await exited;
    },
  };
}

async function isServing(nginx: ChildProcess, ask: Site['ask']): Promise<boolean> {
  if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
  return ask('GET', '/health').then(
    ({ status }) => status === 200,
    () => false,
  );
}
