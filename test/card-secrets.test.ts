import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import pg from 'pg';
import type { KeyActor } from '#context';
import { processFile } from '#test/bundle/process-file';
import { makeKey } from '#test/data/factories';
import { startTestIssuer } from '#test/outside/issuer';
import { openVault, readVault } from '../src/sandbox/issuer/vault.ts';
import { noteSecret, testConfig, testFolder, useHarness } from './harness.ts';
import type { Canaries, Cards, Order, Outcomes } from './processes/card-secrets.ts';
import { waitUntil } from './wait-until.ts';

// What is left of cards' secrets in our own process after reveals: nothing, wherever one looks. On Linux all
// of its memory is read, what was freed and what is native included. Other systems let nobody do that: there
// its JavaScript heap is searched alone. This process is the caller of the reveals. It has the sessions'
// keys, and sees no number before everything has been read.

const canReadMemory = process.platform === 'linux';
const timeout = 600_000;
const harness = useHarness();
const sandbox = await startTestIssuer();
after(() => sandbox.stop());

/** The caller's side, as callers have it. */
const { startSession, openSecret } = (await import(
  new URL('../src/adapters/issuer/reveal-in-browser.js', import.meta.url).href
)) as {
  startSession(publicKey: string): Promise<{ key: Uint8Array; sessionId: string }>;
  openSecret(key: Uint8Array, encrypted: string): Promise<string>;
};

test('after reveals, our process has no card’s number, code or key', { timeout }, async (t) => {
  const { sessions, outcomes, canaries, memory, heap, database, log, stdout, stderr, issuerLog } =
    await relayReveals();
  const vaulted = readVault(sandbox.folder);
  const secrets = [
    ...vaulted.flatMap(({ number, code }, at) => [
      ...formsOf(`number ${at}`, number),
      ...formsOfCode(`code ${at}`, code),
    ]),
    ...(await formsOfIssuerKeys(sandbox.folder)),
    ...sessions.flatMap(({ key }, at) => formsOfKey(`the key of session ${at}`, Buffer.from(key))),
  ];
  const planted = Object.entries(canaries).flatMap(([canary, number]) => formsOf(canary, number));
  /** Everything at once, the canaries with it: a search that finds none of them has not searched. */
  const look = (haystacks: Buffer[]) => {
    const found = search([...secrets, ...planted], haystacks);
    const isPlanted = (what: string) => planted.some((canary) => canary.what === what);
    return { planted: found.filter(isPlanted), secrets: found.filter((what) => !isPlanted(what)) };
  };

  await t.test('the reveals were real: the caller opens them, and two others were refused', async () => {
    assert.deepEqual(outcomes.splice(-2), ['session_used', 'session_invalid']);
    for (const [at, { card, key }] of sessions.entries()) {
      const outcome = outcomes[at]!;
      if (typeof outcome === 'string') assert.fail(outcome);
      const { number, code } = vaulted.find(({ cardId }) => cardId === card.cardId)!;
      assert.equal(await openSecret(key, noteSecret(outcome.encryptedPan)), number);
      assert.equal(await openSecret(key, noteSecret(outcome.encryptedCvc)), code);
    }
  });

  if (canReadMemory) {
    await t.test('none is in its memory, where the same search finds a number in any form', () => {
      const megabytes = memory.reduce((sum, { length }) => sum + length, 0) / 2 ** 20;
      assert.ok(megabytes > 50, `only ${megabytes} MB were read`);
      const found = look(memory);
      for (const canary of [
        'plain: text',
        'wide: wide text',
        'grouped: text in groups',
        'hex: hex',
        'base64: base64',
        'packed: packed digits',
        'double: double',
        'integer: integer',
        'database: text',
        'log: text',
      ]) {
        assert.ok(found.planted.includes(canary), canary);
      }
      assert.deepEqual(found.secrets, []);
    });
  }

  await t.test('none is in the heap of its JavaScript', () => {
    const found = look(heap);
    for (const canary of ['plain: text', 'wide: text', 'hex: hex', 'base64: base64', 'database: text']) {
      assert.ok(found.planted.includes(canary), canary);
    }
    assert.deepEqual(found.secrets, []);
  });

  await t.test('none is in a table of its database', () => {
    const tables = [...database].map(([table, text]) => ({ table, ...look([text]) }));
    const withCanary = tables.filter(({ planted }) => planted.includes('database: text'));
    for (const table of ['public.cards', 'public.audit_log']) {
      assert.ok(withCanary.map(({ table }) => table).includes(table), table);
    }
    assert.deepEqual(
      tables.filter(({ secrets }) => secrets.length > 0),
      [],
    );
  });

  await t.test('none is in its log, its output or the issuer’s log', () => {
    for (const [canary, text] of Object.entries({ log, stdout, stderr })) {
      const found = look([text]);
      assert.ok(found.planted.includes(`${canary}: text`), canary);
      assert.deepEqual(found.secrets, [], canary);
    }
    assert.match(log.toString(), /a reveal was refused/);
    assert.match(issuerLog.toString(), /\/reveal/);
    assert.deepEqual(look([issuerLog]), { planted: [], secrets: [] });
  });
});

/** Cards are made and revealed, and all that is left of it is read, before anybody here sees a number. */
async function relayReveals() {
  const child = await startChild();
  const { publicKey, cards } = await child.ask<Cards>({ kind: 'make-cards', count: 3 });
  const sessions = await Promise.all(
    [...cards, ...cards].map(async (card) => ({ card, ...(await startSession(publicKey)) })),
  );
  const reveals = sessions.map(({ card, sessionId }) => ({ ...card, sessionId: noteSecret(sessionId) }));
  const refused = [reveals[0]!, { ...cards[0]!, sessionId: Buffer.alloc(256, 7).toString('base64') }];
  const outcomes = await child.ask<Outcomes>({ kind: 'reveal', reveals: [...reveals, ...refused] });
  await waitUntil('the issuer’s events have arrived, too', () =>
    readFileSync(child.logFile, 'utf8').includes('/issuer/events'),
  );

  // The heap comes second: to write it down collects what was freed.
  const memory = canReadMemory ? await readMemory(child.pid) : [];
  const heapFile = path.join(testFolder(), 'card-secrets.heapsnapshot');
  await child.ask({ kind: 'write-heap', file: heapFile });
  const heap = [readFileSync(heapFile)];
  rmSync(heapFile);
  const canaries = await child.ask<Canaries>({ kind: 'tell-canaries' });
  const output = await child.stop();
  const log = readFileSync(child.logFile);
  const database = await dumpDatabase(harness.databaseUrl);
  await sandbox.stop();
  const issuerLog = readFileSync(path.join(testFolder(), `${path.basename(sandbox.folder)}.log`));
  return { sessions, outcomes, canaries, memory, heap, database, log, ...output, issuerLog };
}

async function startChild() {
  const child = fork(processFile('test/processes/card-secrets.ts'), {
    env: { PATH: process.env.PATH },
    serialization: 'advanced',
    silent: true,
    // A heap snapshot would end longer strings after 1,024 characters.
    execArgv: ['--heap-snapshot-string-limit=10000000'],
  });
  after(() => child.kill('SIGKILL'));
  const output = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.on('data', (chunk) => {
      output[name] = Buffer.concat([output[name], chunk]);
    });
  }
  const exited = once(child, 'close');
  const next = async () => {
    const message = await Promise.race([once(child, 'message'), exited.then(() => undefined)]);
    return message ? message[0] : assert.fail(`the process went away: ${output.stderr}`);
  };
  const ask = async <T>(order: Order): Promise<T> => {
    const answer = next();
    child.send(order);
    return answer;
  };
  assert.equal(await next(), 'ready');

  const { url, token, webhookSecret } = sandbox;
  const config = {
    ...testConfig(harness.databaseUrl),
    issuer: { url, token },
    issuerWebhookSecrets: [webhookSecret],
  };
  const logFile = path.join(testFolder(), 'card-secrets.log');
  const { id: keyId, partnerId, userId, scopes } = await makeKey(harness, { scopes: ['mcp_card_reveal'] });
  const actor: KeyActor = { kind: 'key', keyId, partnerId, userId, scopes };
  const ownUrl = await ask<string>({ kind: 'start', config, logFile, actor });
  await sandbox.setWebhook(`${ownUrl}/issuer/events`);
  return {
    ask,
    logFile,
    pid: child.pid!,
    async stop() {
      child.kill();
      await exited;
      return output;
    },
  };
}

const blockBytes = 2 ** 20;

/** All that is the process's own: what it can write to, and what it could once and is no file's. */
async function readMemory(pid: number): Promise<Buffer[]> {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  // It waits for us, but its collector might give memory back while we read.
  process.kill(pid, 'SIGSTOP');
  try {
    const state = () => readFileSync(`/proc/${pid}/status`, 'utf8');
    await waitUntil('the process stands still', () => /^State:\s+T/m.test(state()));
    const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').trimEnd().split('\n');
    return lines.flatMap((line) => {
      const [, start, end, access, file] = /^(\w+)-(\w+) (\S+) \S+ \S+ \d+ *(.*)$/.exec(line)!;
      const isOwn = /^rw.p/.test(access!) || (/^r..p/.test(access!) && /^$|^\[anon/.test(file!));
      return isOwn ? readRange(memory, Number(`0x${start}`), Number(`0x${end}`)) : [];
    });
  } finally {
    process.kill(pid, 'SIGCONT');
    closeSync(memory);
  }
}

/** In one piece where it has anything in it; stretches that were never touched are left out. */
function readRange(memory: number, start: number, end: number): Buffer[] {
  const pieces: Buffer[][] = [[]];
  for (let at = start; at < end; at += blockBytes) {
    const block = Buffer.allocUnsafe(Math.min(end - at, blockBytes));
    const length = readSync(memory, block, 0, block.length, at);
    assert.equal(length, block.length, `memory at ${at}`);
    if (block.equals(Buffer.alloc(block.length))) pieces.push([]);
    else pieces.at(-1)!.push(block);
  }
  return pieces.filter(({ length }) => length > 0).map((blocks) => Buffer.concat(blocks));
}

/** The text of every row, by table. */
async function dumpDatabase(url: string): Promise<Map<string, Buffer>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const dump = new Map<string, Buffer>();
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ line: string }>(`select t::text as line from ${name} t`);
      dump.set(name, Buffer.from(rows.map(({ line }) => line).join('\n')));
    }
    return dump;
  } finally {
    await client.end();
  }
}

interface Needle {
  what: string;
  bytes: Buffer;
}

/** What of all that is there, in one pass: there are hundreds of needles, and hundreds of megabytes. */
function search(needles: Needle[], haystacks: Buffer[]): string[] {
  const byStart: (Needle[] | undefined)[] = Array(2 ** 16).fill(undefined);
  const isStart = new Uint8Array(2 ** 16);
  for (const needle of needles) {
    const start = needle.bytes.readUInt16BE();
    byStart[start] = [...(byStart[start] ?? []), needle];
    isStart[start] = 1;
  }
  const found = new Set<string>();
  for (const haystack of haystacks) {
    for (let at = 0, start = haystack[0] ?? 0; at + 1 < haystack.length; at++) {
      start = ((start & 0xff) << 8) | haystack[at + 1]!;
      if (isStart[start] === 0) continue;
      for (const { what, bytes } of byStart[start]!) if (isAt(haystack, at, bytes)) found.add(what);
    }
  }
  return [...found];
}

function isAt(haystack: Buffer, at: number, bytes: Buffer): boolean {
  for (let n = 0; n < bytes.length; n++) if (haystack[at + n] !== bytes[n]) return false;
  return true;
}

/**
 * A number as text, of either width, also written in groups, in hex or in base64; and as what computers make
 * of digits.
 */
function formsOf(what: string, number: string): Needle[] {
  const groups = number.match(/.{4}/g)!;
  const integer = Buffer.alloc(8);
  integer.writeBigUInt64BE(BigInt(number));
  const double = Buffer.alloc(8);
  double.writeDoubleLE(Number(number));
  const named = ([form, bytes]: [string, Buffer]) => ({ what: `${what}: ${form}`, bytes });
  return [
    ...formsOfText(`${what}: text`, number),
    // Where something else was written over the rest.
    ...formsOfText(`${what}: first twelve`, number.slice(0, 12)),
    ...formsOfText(`${what}: last twelve`, number.slice(-12)),
    ...formsOfText(`${what}: text in groups`, groups.join(' ')),
    ...formsOfText(`${what}: text in groups`, groups.join('-')),
    ...base64FormsOf(Buffer.from(number)).flatMap((text) => formsOfText(`${what}: base64`, text)),
    ...formsOfText(`${what}: hex`, Buffer.from(number).toString('hex')),
    ...(
      [
        ['packed digits', Buffer.from(number, 'hex')],
        ['double', double],
        ['integer', integer],
        ['integer', Buffer.from(integer).reverse()],
      ] as [string, Buffer][]
    ).map(named),
  ];
}

/**
 * Three digits are everywhere, so they count only next to a number, which is searched for separately, or
 * under a name.
 */
const formsOfCode = (what: string, code: string): Needle[] =>
  ['code', 'cvc', 'cvv', 'encryptedCvc'].flatMap((name) => formsOfText(what, `"${name}":"${code}"`));

const formsOfText = (what: string, text: string): Needle[] => [
  { what, bytes: Buffer.from(text, 'latin1') },
  { what: what.replace('text', 'wide text'), bytes: Buffer.from(text, 'utf16le') },
];

/** As it is within any longer text that was encoded: it begins at any of three places of a group. */
function base64FormsOf(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

function formsOfKey(what: string, key: Buffer): Needle[] {
  assert.ok(key.length >= 16);
  const texts = [key.toString('hex'), ...base64FormsOf(key)];
  return [{ what, bytes: key }, ...texts.flatMap((text) => formsOfText(what, text))];
}

/**
 * Of the key of reveals every sixteen bytes of what is private, in either order, and every sixteen characters
 * of its texts.
 */
async function formsOfIssuerKeys(folder: string): Promise<Needle[]> {
  const vaultKey = Buffer.from(readFileSync(path.join(folder, 'vault.key'), 'utf8'), 'base64');
  const { privateKey, close } = await openVault(folder);
  await close();
  const { d, p, q, dp, dq, qi } = privateKey.export({ format: 'jwk' });
  const texts = [d!, p!, q!, dp!, dq!, qi!];
  const parts = texts.map((text) => Buffer.from(text, 'base64url'));
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  // The modulus, which everybody has, comes first. A PEM's lines are of 64 characters, so that no cut has a
  // line's end in it.
  const privateFrom = Math.ceil((der.indexOf(parts[0]!) * 8) / 6 / 16) * 16;
  assert.ok(privateFrom > 256);
  const pem = der.toString('base64').slice(privateFrom);
  const what = 'the key of reveals';
  return [
    ...formsOfKey('the vault’s key', vaultKey),
    ...parts
      .flatMap((part) => [...cut(part), ...cut(Buffer.from(part).reverse())])
      .map((bytes) => ({ what, bytes })),
    ...[pem, ...texts].flatMap((text) =>
      cut(Buffer.from(text)).flatMap((cut) => formsOfText(what, `${cut}`)),
    ),
  ];
}

const cut = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.floor(bytes.length / 16) }, (_, at) => bytes.subarray(at * 16, at * 16 + 16));
