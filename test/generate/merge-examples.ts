import type { ClientDocument } from '#test/client/prune-document';
import { commands, historyReaders, tools } from '../../src/app.ts';
import partner from '../../src/surfaces/examples/partner.json' with { type: 'json' };
import mcp from '../../src/surfaces/mcp/examples.json' with { type: 'json' };
import operator from '../../src/surfaces/operator/examples.json' with { type: 'json' };
import type { RecordedCommand } from '../../src/surfaces/operator/reference.ts';
import type { RecordedCall } from './record-calls.ts';

/** By command, by tool, and by operation, status and name of the example. */
export interface ExampleFiles {
  operator: Readonly<Record<string, RecordedCommand | undefined>>;
  mcp: Readonly<Record<string, { arguments: object; payload: object } | undefined>>;
  partner: Readonly<Record<string, Answers | undefined>>;
}

type Answers = Readonly<Record<string, Readonly<Record<string, { value: object }>>>>;

/** What the files have now. */
export const storedExamples: ExampleFiles = { operator, mcp, partner };

/**
 * The examples of the API reference with those of calls that tests made. A recorded one replaces the one
 * before; what was not called stays as it is. Commands, tools, operations and history features that no
 * longer exist are left out. Ids, dates and secrets of the run become fixed ones. `document` is the
 * reference of partners.
 */
export function mergeExamples(
  before: ExampleFiles,
  calls: readonly RecordedCall[],
  document: ClientDocument,
): ExampleFiles {
  const byName = (kind: RecordedCall['kind']) =>
    Map.groupBy(
      calls.filter((call) => call.kind === kind),
      ({ name }) => name,
    );
  return {
    operator: mergeCommands(before.operator, byName('command')),
    mcp: mergeTools(before.mcp, byName('tool')),
    partner: mergeOperations(before.partner, byName('operation'), document),
  };
}

type ByName = ReadonlyMap<string, readonly RecordedCall[]>;

function mergeCommands(before: ExampleFiles['operator'], recorded: ByName): ExampleFiles['operator'] {
  return Object.fromEntries(
    commands.map(({ name, fileTypes }) => {
      const some = recorded.get(name) ?? [];
      const { errors, ...former }: RecordedCommand = before[name] ?? { request: {}, errors: [] };
      const call = choose(some, former.answer);
      const example = call
        ? fix({ request: call.input, ...(!fileTypes && { answer: payloadOf(call) }) })
        : former;
      return [name, { ...example, ...byHand[name], errors: mergeErrors(errors, some) }];
    }),
  );
}

type Errors = RecordedCommand['errors'];

/** One for each code. Those that these tests did not meet stay, because other tests recorded them. */
function mergeErrors(before: Errors, some: readonly RecordedCall[]): Errors {
  const errors = some
    .filter(
      ({ status, body }) =>
        status >= 400 && status < 500 && status !== 401 && body.code !== 'invalid_request',
    )
    .map(({ status, body }) => ({ status, code: body.code as string, message: body.error as string }))
    .sort((one, other) => one.status - other.status);
  return [...new Map([...before, ...errors].map((error) => [error.code, error])).values()];
}

function mergeTools(before: ExampleFiles['mcp'], recorded: ByName): ExampleFiles['mcp'] {
  return Object.fromEntries(
    tools({ balanceStaleAfterMs: 1 }).flatMap(({ name }) => {
      const call = choose(recorded.get(name) ?? [], before[name]);
      const example = call ? fix({ arguments: call.input, payload: payloadOf(call) }) : before[name];
      return example ? [[name, example]] : [];
    }),
  );
}

/** Tools have separate examples, and figures of 31 days would fill a page. */
const describedElsewhere = ['callTool', 'showIntegrationActivity'];

function mergeOperations(
  before: ExampleFiles['partner'],
  recorded: ByName,
  { paths }: ClientDocument,
): ExampleFiles['partner'] {
  const methods = Object.values(paths).flatMap((one) => Object.values(one));
  const operations = new Map(methods.map((one) => [one.operationId as string, one]));
  const names = [...new Set([...Object.keys(before), ...recorded.keys()])].filter(
    (name) => operations.has(name) && !describedElsewhere.includes(name),
  );
  return Object.fromEntries(
    names.map((name) => {
      const requests = operations.get(name)!.requestBody?.content['application/json'].examples;
      const examples = requests ? Object.keys(requests) : answersAlone;
      return [name, mergeAnswers(before[name] ?? {}, recorded.get(name) ?? [], examples)];
    }),
  );
}

/** Of operations without a body. The answer to a body has the name of the body's example. */
const answersAlone = ['answer', ...historyReaders.map(({ feature }) => feature)];

/** `names`: those that `recordAnswer` gets. */
function mergeAnswers(before: Answers, some: readonly RecordedCall[], names: readonly string[]): Answers {
  const recorded = Map.groupBy(some, ({ example }) => example!);
  const answers: Record<string, Record<string, { value: object }>> = {};
  for (const name of names) {
    const former = Object.entries(before).find(([, examples]) => name in examples);
    const call = choose(recorded.get(name) ?? [], former);
    const status = call ? String(call.status) : former?.[0];
    if (status === undefined) continue;
    answers[status] ??= {};
    answers[status][name] = call ? { value: fix(call.body, call.input) } : former![1][name]!;
  }
  return answers;
}

const payloadOf = ({ kind, body }: RecordedCall) =>
  kind === 'operation' ? body : kind === 'command' ? body.data : JSON.parse(body.result.content[0].text);
const isDone = ({ kind, status, body }: RecordedCall) =>
  kind === 'operation' ||
  (status === 200 && (kind === 'command' ? body.data : body.result && !body.result.isError));

/** The call that shows most in little space. None is better than the example before if all are too large. */
function choose(some: readonly RecordedCall[], former: object | undefined): RecordedCall | undefined {
  const sizeOf = (call: RecordedCall) => JSON.stringify([call.input, payloadOf(call)]).length;
  const done = some.filter(isDone).sort((one, other) => sizeOf(one) - sizeOf(other));
  const sizeMax = some[0]?.kind === 'operation' ? 4_000 : 1_500;
  const readable = done.filter((call) => sizeOf(call) < sizeMax && !unusual.test(JSON.stringify(call)));
  return readable.at(-1) ?? (former ? undefined : done[0]);
}

/** What tests try and people should not copy. */
const unusual =
  /"cursor"|"0X|[0-9A-F]{8}-[0-9A-F]{4}-|changed-|"intact":false|"isSound":false|includeCardSecrets|\p{Emoji_Presentation}|"Ethereum"|"usdc"|"Polygon"/u;

const setLogoAnswer = {
  id: '0198a6a0-0000-7000-8000-000000000001',
  name: 'Lender',
  logoColor: '#1a7f5a',
  purposes: ['Lend you money', 'Check who you are'],
  purposesPt: null,
  scopes: ['email', 'kyc'],
  redirectUris: ['https://lender.example.com/back?from=causeway', 'http://localhost:3000/back'],
  homepageUrl: null,
  privacyUrl: null,
  logoSha256: '5f2c8d0e7ab14963c1f0de84b7a2956301d4c8ef9a6b3725e0871cd4f92b6a38',
  createdAt: '2026-07-31T12:02:00.000Z',
  revokedAt: null,
};

const doctorAnswer = {
  items: [
    { check: 'database server', state: 'ok', seen: 'PostgreSQL 18.1', advice: null },
    {
      check: 'archiving',
      state: 'warning',
      seen: 'archive_mode is off, wal_level replica',
      advice: 'Archive the write-ahead log, as docs/guides/backup.md says: a dump loses what came after it.',
    },
    {
      check: 'workers',
      state: 'problem',
      seen: 'No worker has run a job for 20 min',
      advice: 'Start a process with causeway serve --roles worker.',
    },
    { check: 'nodes of polygon', state: 'ok', seen: '3 of 3 nodes agree, 2 must', advice: null },
  ],
  problems: ['workers'],
  ok: 2,
  warnings: 1,
  skipped: 0,
};

/** Calls that need more than a test of one file has. */
const byHand: Record<string, object> = {
  'deposits.check': {
    request: { network: 'polygon', fromBlock: 41_000_000 },
    answer: { checked: 3, missing: [], nextBlock: null },
  },
  // All checks would fill a page.
  doctor: { request: {}, answer: doctorAnswer },
  // One colour: another picture in base64 would fill a page.
  'integrations.set-logo': {
    request: {
      integrationId: '0198a6a0-0000-7000-8000-000000000001',
      logo: 'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGElEQVR4XmOQqo8iCY1qIAaNaiAGDUINAPDN8wGPhxjsAAAAAElFTkSuQmCC',
    },
    answer: setLogoAnswer,
  },
  'ledger.statement': { request: { userId: '0198a6a0-0000-7000-8000-000000000001', format: 'csv' } },
};

/** Replaces what differs from run to run, the same by the same, but not what the request `asked` has. */
export function fix<Value extends object>(value: Value, asked: object = {}): Value {
  const kept = [...JSON.stringify(asked).matchAll(/"([^"]+)"/g)].map(([, text]) => text!);
  const known = new Map(kept.flatMap((text) => [[text, text] as const, [text.toLowerCase(), text] as const]));
  let count = 0;
  const stable = (found: string, make: (count: number) => string) => {
    while (!known.has(found)) {
      const made = make(++count);
      if (!kept.includes(made)) known.set(found, made);
    }
    return known.get(found)!;
  };
  // In the order of time, so that an example does not end before it begins.
  const instants = [...new Set(JSON.stringify(value).match(instant))].sort();
  const hex = (count: number, length: number) => createHex(count).slice(0, length);
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (found) =>
      stable(found, (count) => `0198a6a0-0000-7000-8000-${String(count).padStart(12, '0')}`),
    )
    .replaceAll(/0x[0-9a-fA-F]{64}/g, (found) => stable(found, (count) => `0x${hex(count, 64)}`))
    .replaceAll(/0x[0-9a-fA-F]{40}\b/g, (found) =>
      stable(found.toLowerCase(), (count) => `0x${hex(count, 40)}`),
    )
    .replaceAll(/\b(cw[kio])_[a-z0-9]+_[A-Za-z0-9]+/g, '$1_abcdefghijkl2345_…')
    .replaceAll(/(DOC|TAX)-[0-9a-f]{12}/g, '$1-123456')
    .replaceAll(/[0-9a-f]{12}@example/g, 'ana@example')
    .replaceAll(/Partner [0-9a-f]{12}/g, 'Partner')
    .replaceAll(/Integration [0-9a-f]{12}/g, 'Lumen Credit')
    .replaceAll(instant, (found) => {
      const place = instants.indexOf(found);
      return `2026-07-31T12:${String(place % 60).padStart(2, '0')}:00.000Z`;
    })
    .replaceAll(/\b(card|ciu|txn|mov)_[0-9a-f]{24}\b/g, (found, kind) =>
      stable(found, (count) => `${kind}_${count}`),
    )
    .replaceAll(/(?<=ey[Ii]d":"|"rotatedFrom":"|"id":"|By":"|ByKey":"|key:)[a-z2-7]{16}(?=[" ])/g, (found) =>
      stable(found, (count) => `abcdefghijkl234${(count % 6) + 2}`),
    )
    .replaceAll(/\bevt_[0-9a-f]{32}\b/g, (found) => stable(found, (count) => `evt_${hex(count, 32)}`))
    .replaceAll(/\bwhsec_[\w+/]{43}=/g, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')
    .replaceAll(/\bwhpk_[\w+/]{43}=/g, 'whpk_Xe1bZ4vM0qk9sJfYw2uRtLhC7dPnAoGi5yNEx8QTU3A=')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/hooks/g, 'https://hooks.example.com/causeway')
    .replaceAll(/sign-in\/[\w-]{43}/g, 'sign-in/V3n9Qe1T7bJx0aYcRk5wLd2sGf8hUz6m')
    .replaceAll(/\/[\w-]{43}(?=")/g, '/V3n9Qe1T7bJx0aYcRk5wLd2sGf8hUz6m')
    .replaceAll(/"(a test|in passing|as asked)"/g, '"Asked by the partner"')
    .replaceAll('"Test"', '"Ana"')
    .replaceAll('"Person"', '"Ribeiro"')
    .replaceAll('"actorId":"tester"', '"actorId":"ops"')
    .replaceAll('"Test Person"', '"Ana Ribeiro"')
    .replaceAll(/(ana|rui)-\d+@/g, '$1@')
    .replaceAll(/("lastFourDigits":")\d{4}/g, '$11881')
    .replaceAll(/("nextCursor":")[\w-]+/g, '$1b3duIHdpdGhkcmF3YWxzIDAxOThhNmEw')
    .replaceAll(/http:\/\/(127\.0\.0\.1|localhost):\d+/g, 'https://causeway.example.com')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'causeway.example.com');
  return JSON.parse(text);
}

const instant = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:[\d.]+Z/g;
const createHex = (count: number) => (count * 2_654_435_761).toString(16).padStart(8, '5').repeat(8);
