import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { Readable } from 'node:stream';
import { readCommandLineSetting as readSetting } from '#config/settings/command-line';
import type { CommandDescription } from '#platform/commands/command-description';
import { describeCause } from '#platform/errors/describe-cause';
import { readSandboxFile } from '../sandbox/index.ts';
import type { Answer } from './answer.ts';
import { CommandFault, exitCodes, UsageFault } from './exit-codes.ts';

/**
 * Calls the server of `--url`. Without one, the app in this process if `DATABASE_URL` is set, else the
 * sandbox of this folder.
 */
export async function callOperator<T>(
  { name, worksWithoutDatabase }: Pick<CommandDescription, 'name' | 'worksWithoutDatabase'>,
  { input, ...flags }: { input: object; url?: string; token?: string },
  receive: (answer: Answer) => Promise<T>,
): Promise<T> {
  const { env } = process;
  let url = flags.url ?? readSetting(env, 'CAUSEWAY_URL');
  if (!url && readSetting(env, 'DATABASE_URL'))
    return callDatabase({ name, worksWithoutDatabase }, input, receive);
  let token = flags.token ?? readSetting(env, 'CAUSEWAY_OPERATOR_TOKEN');
  if (!url) {
    const sandbox = readSandboxFile(readSetting(env, 'CAUSEWAY_HOME')!);
    if (!sandbox) {
      throw new UsageFault(
        'No server given: pass --url and --token, set DATABASE_URL, or start the sandbox in this folder.',
      );
    }
    url = sandbox.operatorUrl;
    token ||= sandbox.operatorToken;
  }
  if (!token) throw new UsageFault('Missing operator token: pass --token or set CAUSEWAY_OPERATOR_TOKEN.');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UsageFault(`--url must be a URL, such as https://causeway.example.com, and is ${url}.`);
  // Limits the wait for the start of the answer: a file may take longer, and `fetch` ends a body that stalls.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error('no answer within ten minutes')), 600_000);
  const response = await fetch(`${url.replace(/\/$/, '')}/operator/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
    signal: patience.signal,
  })
    .catch((error: Error) => {
      throw new CommandFault(`${url} does not answer: ${describeCause(error)}.`, exitCodes.unreachable);
    })
    .finally(() => clearTimeout(timer));
  const { status, headers, body } = response;
  return receive({ from: url, status, headers, body: body ? Readable.fromWeb(body) : Readable.from([]) });
}

/** The same route, validation and audit in this process, as an operator named after the user. */
async function callDatabase<T>(
  { name, worksWithoutDatabase }: Parameters<typeof callOperator>[0],
  input: object,
  receive: (answer: Answer) => Promise<T>,
): Promise<T> {
  const { buildApp } = await import('../app.ts');
  const { readConfig } = await import('#config/config');
  const { createDeps, endDatabases, requireSchema } = await import('../main.ts');
  const { createLog } = await import('#platform/observe/log');
  const token = randomBytes(20).toString('hex');
  const operatorTokens = {
    OPERATOR_TOKENS: `cli-${nameOfPerson()}:admin:${token}`,
    OPERATOR_TOKENS_FILE: undefined,
  };
  const config = readConfig({ ...process.env, ...operatorTokens });
  const deps = createDeps(config, createLog({ level: 'silent' }));
  const server = await buildApp(deps, { ...config, servesApi: true });
  try {
    if (!worksWithoutDatabase) await requireSchema(deps.db);
    const response = await server.inject({
      method: 'POST',
      url: `/operator/${name}`,
      headers: { authorization: `Bearer ${token}` },
      payload: input,
      payloadAsStream: true,
    });
    const headers = new Headers(response.headers as Record<string, string>);
    return await receive({
      from: 'The database',
      status: response.statusCode,
      headers,
      body: response.stream(),
    });
  } finally {
    await server.close();
    await Promise.all([endDatabases(deps), deps.traces?.stop()]);
  }
}

/** With the characters allowed in operators' names. In a container, the uid may have no user name. */
function nameOfPerson(): string {
  let name = `uid-${process.getuid?.()}`;
  try {
    name = userInfo().username;
  } catch {}
  return name.replace(/[^A-Za-z0-9_.@-]/g, '-').slice(0, 50);
}
