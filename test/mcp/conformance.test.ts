import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { testFolder, useHarness } from '../harness.ts';
import { createKeyPool } from './key-pool.ts';
import { runJudge, type Verdict } from './run-judge.ts';

// The protocol's own suite, against the product with its own tools. It knows no keys, so a proxy adds one.

const harness = useHarness({ mcpAllowedHosts: ['127.0.0.1', 'localhost'] });
const keys = createKeyPool(() => makeKey(harness, { scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] }));
const noticed = { requests: 0, refusedForNumber: 0, failed: 0 };

/** All is passed on as it came, Host and Origin too. */
const proxy = createServer(async (asked, answer) => {
  const { token } = await keys.take();
  const passed = request(harness.url + asked.url!, {
    method: asked.method,
    headers: { ...asked.headers, authorization: `Bearer ${token}` },
  });
  passed.on('response', (got) => {
    noticed.requests++;
    if (got.statusCode === 429) noticed.refusedForNumber++;
    if (got.statusCode! >= 500) noticed.failed++;
    answer.writeHead(got.statusCode!, got.headers);
    got.pipe(answer);
  });
  passed.on('error', () => asked.socket.destroy());
  asked.pipe(passed);
});
let url: string;
before(async () => {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
});
after(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await once(proxy, 'close');
});

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
  details?: { message?: string };
}

interface Judgement extends Verdict {
  /** What the suite wrote down check by check, by scenario. */
  checks: Map<string, Check[]>;
}

const judgements = new Map<string, Promise<Judgement>>();
const judge = (revision: string): Promise<Judgement> => {
  if (!judgements.has(revision)) judgements.set(revision, runSuite(revision));
  return judgements.get(revision)!;
};

async function runSuite(revision: string): Promise<Judgement> {
  const folder = mkdtempSync(path.join(testFolder(), 'conformance-'));
  try {
    const verdict = await runJudge('@modelcontextprotocol/conformance/dist/index.js', [
      'server',
      '--url',
      url,
      '--requirements',
      revision,
      '--output-dir',
      folder,
      '--expected-failures',
      path.join(import.meta.dirname, `conformance-${revision}.yaml`),
    ]);
    const checks = globSync(`${folder}/*/checks.json`).map((file): [string, Check[]] => {
      const [, scenario] = /^server-(.+?)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(path.basename(path.dirname(file)))!;
      return [scenario!, JSON.parse(readFileSync(file, 'utf8'))];
    });
    return { ...verdict, checks: new Map(checks) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As the suite counts: what it could not exercise, and what it only remarks, is neither. */
function count(checks: readonly Check[] = []) {
  const of = (status: Check['status']) => checks.filter((check) => check.status === status).length;
  return { passed: of('SUCCESS'), failed: of('FAILURE') };
}

const excusesOf = (revision: string) =>
  [
    ...readFileSync(path.join(import.meta.dirname, `conformance-${revision}.yaml`), 'utf8').matchAll(
      /^ {2}- ([\w-]+):([\w-]+)$/gm,
    ),
  ].map(([, scenario, id]) => ({ scenario: scenario!, id: id! }));

/** What the suite says where a server has no such method, none of its diagnostic tools, or no session. */
const absences = [
  /Unknown tool: test_/,
  /Unknown prompt: test_/,
  /Resource not found/,
  /Method not found/,
  /^Not testable: server does not list the diagnostic tool/,
  /^Expected InputRequiredResult with/,
  /^Server returned JSON-RPC error instead of re-requesting via InputRequiredResult/,
  /^Prerequisite failed: could not get initial InputRequiredResult/,
  /^Server did not provide session ID/,
];

const scored: Record<string, Record<string, ReturnType<typeof count>>> = {
  '2025-11-25': {
    'server-initialize': { passed: 2, failed: 0 },
    ping: { passed: 2, failed: 0 },
    'tools-list': { passed: 3, failed: 0 },
    'prompts-list': { passed: 2, failed: 0 },
    'resources-list': { passed: 2, failed: 0 },
    'dns-rebinding-protection': { passed: 2, failed: 0 },
  },
  '2026-07-28': {
    'server-stateless': { passed: 21, failed: 4 },
    'http-header-validation': { passed: 14, failed: 0 },
    'tools-list': { passed: 4, failed: 0 },
    'prompts-list': { passed: 2, failed: 0 },
    'resources-list': { passed: 2, failed: 0 },
    'sep-2164-resource-not-found': { passed: 4, failed: 0 },
    'dns-rebinding-protection': { passed: 2, failed: 0 },
    caching: { passed: 8, failed: 0 },
  },
};

for (const [revision, expected] of Object.entries(scored)) {
  test(`conformance to ${revision}: whatever a server without streams can have, it has`, async (t) => {
    const { code, stdout, stderr, checks } = await judge(revision);
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    for (const [scenario, result] of Object.entries(expected)) {
      assert.deepEqual(count(checks.get(scenario)), result, scenario);
    }
    const excuses = excusesOf(revision);
    assert.ok(excuses.length > 20);
    for (const { scenario, id } of excuses) {
      const failed = checks
        .get(scenario)
        ?.filter((check) => check.id === id && ['FAILURE', 'WARNING'].includes(check.status));
      assert.ok(failed?.length, `${scenario}:${id} is excused and does not fail`);
      for (const { errorMessage, details } of failed) {
        const reason = errorMessage ?? details?.message ?? '';
        const isAbsent = absences.some((absence) => absence.test(reason));
        assert.ok(isAbsent, `${scenario}:${id} is excused and fails for another reason: ${reason}`);
      }
    }
    for (const [scenario, found] of checks) {
      const wire = found.filter(({ id }) => id === 'wire-schema-valid');
      for (const { status } of wire) assert.equal(status, 'SUCCESS', `${scenario}: messages fit the schema`);
    }
    const { requests } = noticed;
    t.diagnostic(`${/^Total: .*$/m.exec(stdout)?.[0]}; ${excuses.length} excused; ${requests} requests`);
  });
}

test('2026-07-28, server-stateless: what fails is exactly what its diagnostic tools would show; and tools/list says how long it may be kept', async () => {
  const { checks } = await judge('2026-07-28');
  const idsOf = (scenario: string, status: Check['status']) =>
    checks.get(scenario)!.flatMap((check) => (check.status === status ? check.id : []));
  assert.deepEqual(idsOf('server-stateless', 'FAILURE'), [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ]);
  for (const id of [
    'sep-2549-tools-list-caching-hints',
    'sep-2549-ttl-non-negative',
    'sep-2549-cache-scope-valid',
  ]) {
    assert.ok(idsOf('caching', 'SUCCESS').includes(id), id);
  }
});

test('none of the suite’s requests was refused for their number, and none failed', () => {
  assert.ok(noticed.requests > 150, `${noticed.requests} requests`);
  assert.deepEqual({ ...noticed, requests: 0 }, { requests: 0, refusedForNumber: 0, failed: 0 });
});
