import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before } from 'node:test';
import pg from 'pg';
import { type NetworkSettings, networks, tokensOf } from '#adapters/evm';
import type { Config } from '#config/config';
import type { Ctx, Deps, OperatorActor } from '#context';
import { contextFor } from '#context';
import type { HttpServer } from '#platform/http/http';
import { createLog, type Log } from '#platform/observe/log';
import { createSealer, type Sealer } from '#platform/secrets/seal';
import { recordCall } from '#test/generate/record-calls';
import { type AppOptions, buildApp } from '../src/app.ts';
import { createDeps, endDatabases } from '../src/main.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent; tests assert its shape.
  body: any;
}

/**
 * A whole Causeway for one test file: a separate database, a server on a free port, and a clock that can be
 * moved.
 */
export interface Harness {
  url: string;
  databaseUrl: string;
  deps: Deps;
  server: HttpServer;
  operatorToken: string;
  /** Seals with the previous encryption key, which the service can still open. */
  olderSealer: Sealer;
  /** Moves the service's clock; it continues from there. */
  advance(ms: number): void;
  operatorContext(): Ctx<OperatorActor>;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  /** Calls an operator command and returns the whole answer. */
  operator(command: string, input?: unknown): Promise<Answer>;
}

export interface RequestOptions {
  token?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** `databaseUrl`: instead of a database that is made for the test file. */
export type HarnessOptions = { cutsSlowRequests?: boolean; databaseUrl?: string } & Partial<
  Pick<AppOptions, 'trustedProxies' | 'issuerWebhookSecrets'>
> &
  Partial<Pick<Deps, 'issuer'>> &
  Partial<Pick<Config, 'publicUrl' | 'tracesUrl' | 'signInUrl' | 'openid' | 'brand' | 'outgoing'>> &
  Partial<
    Pick<
      Config,
      | 'rateLimitStore'
      | 'networks'
      | 'acceptsApplications'
      | 'fourEyesCommands'
      | 'twoPersonResume'
      | 'operatorTokens'
      | 'withdrawalLimits'
      | 'withdrawalRates'
      | 'screeningUrl'
    >
  > &
  Partial<
    Pick<
      Config,
      | 'databaseLockTimeoutMs'
      | 'databaseReadUrls'
      | 'rateLimitUrl'
      | 'databaseReplication'
      | 'deploymentId'
      | 'secretFiles'
      | 'databaseStatementTimeoutMs'
      | 'pricesUrl'
      | 'balanceStaleAfterMs'
      | 'mcpAllowedOrigins'
      | 'mcpAllowedHosts'
    >
  >;

/**
 * Call it once at the top of a test file; its fields are set from the first test on. Options that are known
 * only then, such as a chain's, come from a function.
 */
export function useHarness(options: HarnessOptions | (() => Promise<HarnessOptions>) = {}): Harness {
  const harness = {} as Harness;
  before(async () => {
    Object.assign(harness, await startHarness(typeof options === 'function' ? await options() : options));
  });
  after(async () => {
    await harness.server?.close();
    if (harness.deps) await Promise.all([endDatabases(harness.deps), harness.deps.traces?.stop()]);
  });
  return harness;
}

async function startHarness(options: HarnessOptions): Promise<Harness> {
  const databaseUrl = options.databaseUrl ?? (await cloneDatabase());
  const config = testConfig(databaseUrl, options);
  let offsetMs = 0;
  const clock = () => new Date(Date.now() + offsetMs);
  const { issuer } = options;
  const deps: Deps = { ...createDeps(config, testLog()), clock, ...(issuer && { issuer }) };
  const server = await buildApp(deps, { ...config, servesApi: true });
  // A busy machine also sends slowly.
  if (!options.cutsSlowRequests)
    Object.assign(server.server, { headersTimeout: 60_000, requestTimeout: 120_000 });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  if (!options.publicUrl) deps.publicUrl = url;
  const operatorToken = config.operatorTokens.get('tester')!.token;

  const request: Harness['request'] = async (method, where, { token, headers, body } = {}) => {
    const answer = await askOverHttp(url + where, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
    });
    recordCall(where, body, answer);
    return answer;
  };
  return {
    url,
    databaseUrl,
    deps,
    server,
    operatorToken,
    olderSealer: createSealer(new Map([[1, config.encryptionKeys.get(1)!]])),
    request,
    advance: (ms) => {
      offsetMs += ms;
    },
    operatorContext: () => contextFor(deps, { kind: 'operator', name: 'tester', role: 'admin' }, deps.log),
    operator: (command, input = {}) =>
      request('POST', `/operator/${command}`, { token: operatorToken, body: input }),
  };
}

/** An answer with its body read, as JSON where it is. */
export async function ask(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) });
  return answerOf(response.status, response.headers, await response.text());
}

const agent = new Agent({ keepAlive: true });

interface Question {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** As `ask`, with half the CPU of `fetch`, which matters for tests that send thousands of requests. */
async function askOverHttp(url: string, { method, headers, body }: Question): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpRequest(url, { method, headers, agent, signal: AbortSignal.timeout(60_000) }, resolve)
    .on('error', reject)
    .end(body);
  const response = await promise;
  const received = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    for (const value of values ?? []) received.append(name, value);
  }
  return answerOf(response.statusCode!, received, await text(response));
}

function answerOf(status: number, headers: Headers, text: string): Answer {
  const isJson = headers.get('content-type')?.includes('json');
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

export function testConfig(databaseUrl: string, options: HarnessOptions = {}): Config {
  const operatorToken = noteSecret(`cwo_${randomBytes(24).toString('hex')}`);
  return {
    databaseUrl,
    databaseReadUrls: options.databaseReadUrls ?? [],
    rateLimitUrl: options.rateLimitUrl ?? '',
    databasePoolMax: 10,
    // Longer than in production, because a busy machine is slow.
    databaseConnectTimeoutMs: 60_000,
    databaseLockTimeoutMs: options.databaseLockTimeoutMs ?? 60_000,
    databaseStatementTimeoutMs: options.databaseStatementTimeoutMs ?? 120_000,
    databaseReplication: options.databaseReplication ?? 'asynchronous',
    // The PostgreSQL of a test run writes nothing to disk in time.
    databaseDurability: 'relaxed',
    deploymentId: options.deploymentId ?? 'test',
    host: '127.0.0.1',
    port: 0,
    publicUrl: options.publicUrl ?? 'http://127.0.0.1:0',
    brand: options.brand ?? { name: 'Causeway', address: [] },
    ...(options.signInUrl && { signInUrl: options.signInUrl }),
    ...(options.openid && { openid: options.openid }),
    operatorTokens: new Map([
      ['tester', { token: operatorToken, role: 'admin' }],
      ...(options.operatorTokens ?? []),
    ]),
    encryptionKeys: new Map(
      [1, 2].map((version) => [version, Buffer.from(noteSecret(randomBytes(24).toString('base64')))]),
    ),
    secretFiles: options.secretFiles ?? [],
    trustedProxies: [...(options.trustedProxies ?? [])],
    rateLimitStore: options.rateLimitStore ?? 'memory',
    fourEyesCommands: options.fourEyesCommands ?? [],
    acceptsApplications: options.acceptsApplications ?? true,
    twoPersonResume: options.twoPersonResume ?? false,
    shutdownGraceMs: 2_000,
    logLevel: 'debug',
    ...(options.tracesUrl && { tracesUrl: options.tracesUrl }),
    networks: options.networks ?? networksWithoutNodes(),
    withdrawalLimits: options.withdrawalLimits ?? [],
    // Tests create many; those of the limit set it.
    withdrawalRates: options.withdrawalRates ?? { partner: 1_000_000, user: 1_000_000 },
    screeningUrl: options.screeningUrl,
    issuerWebhookSecrets: [...(options.issuerWebhookSecrets ?? [])],
    ...(options.pricesUrl && { pricesUrl: options.pricesUrl }),
    balanceStaleAfterMs: options.balanceStaleAfterMs ?? 3_600_000,
    outgoing: options.outgoing ?? { allowsLoopbackHttp: false, ports: [443, 8443], allowedBlocks: [] },
    mcpAllowedOrigins: options.mcpAllowedOrigins ?? ['http://localhost:*', 'http://127.0.0.1:*'],
    mcpAllowedHosts: options.mcpAllowedHosts ?? [],
  };
}

/** Every network as in production, with an unreachable node: what needs no chain works anyway. */
export function networksWithoutNodes(): NetworkSettings[] {
  return networks.map((network) => ({
    network,
    rpcUrls: ['http://127.0.0.1:1'],
    finality: { rule: 'finalized' },
    tokens: tokensOf(network),
    feeCap: 10n ** 12n,
    bumpAfterMs: 30_000,
  }));
}

/** A separate database, cloned from the migrated template: about 50 ms, however large the schema is. */
export async function cloneDatabase(template = 'template_causeway'): Promise<string> {
  const adminUrl = testSetting('CAUSEWAY_TEST_POSTGRES');
  const name = `t_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`create database ${name} template ${template} strategy file_copy`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The run's folder: the log of every server of the run and the secrets that must not be in it. */
export const testFolder = () => testSetting('CAUSEWAY_TEST_FOLDER');

/**
 * Lines go to a file that the last test of the run searches. They are written in batches, because writing
 * each took a twentieth of the CPU.
 */
export function testLog(): Log {
  return createLog({ level: 'debug', destination: { write: keepLine } });
}

let lines = '';

/** Writes a line of another log beside those of `testLog`. */
export function keepLine(line: string): void {
  if (lines === '') setTimeout(writeLines, 100).unref();
  lines += line;
}

function writeLines(): void {
  if (lines !== '') appendFileSync(path.join(testFolder(), 'causeway.log'), lines);
  lines = '';
}
process.on('exit', writeLines);

/** All lines of the run so far. */
export function readTestLog(): string {
  writeLines();
  return readFileSync(path.join(testFolder(), 'causeway.log'), 'utf8');
}

/** Registers a value that must never be found in a log or a database of this run. */
export function noteSecret(secret: string): string {
  appendFileSync(path.join(testFolder(), 'secrets.txt'), `${JSON.stringify(secret)}\n`);
  return secret;
}

function testSetting(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error('Tests need the PostgreSQL of a run: use `npm test -- <part of the file name>`.');
  return value;
}
