import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpIssuer, type Issuer, type IssuerEvent, IssuerFault } from '#adapters/issuer';
import { StartupError } from '#platform/errors/startup-error';
import { startTestIssuer } from '#test/outside/issuer';
import { startIssuer } from './index.ts';

const temporary = mkdtempSync(path.join(tmpdir(), 'causeway issuer '));
after(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

const token = randomUUID();
const terms = {
  name: 'ANA LIMA',
  nickname: null,
  spendingLimit: '500.00',
  spendingInterval: 'monthly',
} as const;

const start = async (t: TestContext, folder: string) => {
  const running = await startIssuer({ folder, token, logFile: path.join(temporary, 'issuer.log') });
  t.after(() => running.stop());
  return { ...running, issuer: createHttpIssuer({ url: running.url, token, timeoutMs: 60_000 }) };
};

async function allEvents(issuer: Issuer): Promise<IssuerEvent[]> {
  const events: IssuerEvent[] = [];
  for (;;) {
    const page = await issuer.readEvents({ after: BigInt(events.length), limit: 1_000 });
    if (page.length === 0) return events;
    events.push(...(page as IssuerEvent[]));
  }
}

test('killed again and again under load: what was answered is there, what was not is there once or not at all', async () => {
  const server = await startTestIssuer();
  const { issuer } = server;
  const { id } = await issuer.createUser({ reference: 'load', idempotencyKey: 'user' });
  await issuer.simulate({ kind: 'collateral-deposit', cardIssuerUserId: id, amount: '1000.00' });
  const answered: { key: string; cardId: string }[] = [];
  let isOver = false;
  const kill = async () => {
    for (let times = 0; times < 4; times++) {
      await sleep(100 + 150 * Math.random());
      await server.crash();
    }
    isOver = true;
  };
  const work = async (worker: number) => {
    // On a slow machine little is answered between two crashes.
    for (let at = 0; !isOver || answered.length <= 20; at++) {
      const key = `w${worker}-${at}`;
      // As a caller would: the same request under the same key, until somebody answers.
      for (;;) {
        try {
          const request = { cardIssuerUserId: id, cards: [terms, terms], idempotencyKey: key };
          const cards = await issuer.createCards(request);
          answered.push(...cards.map(({ id }) => ({ key, cardId: id })));
          break;
        } catch (error) {
          assert.ok(error instanceof IssuerFault && error.reason === 'unavailable', String(error));
        }
      }
    }
  };
  try {
    await Promise.all([kill(), ...[1, 2, 3, 4].map(work)]);
    assert.ok(answered.length > 20, `${answered.length} cards`);
    const events = await allEvents(issuer);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, at) => BigInt(at + 1)),
    );
    const told = events.flatMap((event) => (event.type === 'card.changed' ? [event.data.id] : []));
    assert.deepEqual(told.toSorted(), answered.map(({ cardId }) => cardId).toSorted());
    // And still the same answers.
    for (const key of new Set(answered.slice(-10).map(({ key }) => key))) {
      const request = { cardIssuerUserId: id, cards: [terms, terms], idempotencyKey: key };
      const again = (await issuer.createCards(request)).map(({ id }) => id);
      assert.deepEqual(
        again,
        answered.filter((one) => one.key === key).map(({ cardId }) => cardId),
      );
    }
    assert.equal((await allEvents(issuer)).length, events.length);
  } finally {
    await server.stop();
  }
});

test('after a stop, and with a torn last line, it goes on where it was', async (t) => {
  const folder = path.join(temporary, 'torn');
  const first = await start(t, folder);
  const user = await first.issuer.createUser({ reference: 'one', idempotencyKey: 'one' });
  const kept = await allEvents(first.issuer);
  await first.stop();
  const journal = path.join(folder, 'journal.jsonl');
  const whole = readFileSync(journal, 'utf8');
  appendFileSync(journal, whole.slice(0, -10));
  appendFileSync(path.join(folder, 'vault.jsonl'), 'half of a li');

  const second = await start(t, folder);
  assert.deepEqual(await allEvents(second.issuer), kept);
  assert.deepEqual(await second.issuer.createUser({ reference: 'one', idempotencyKey: 'one' }), user);
  await second.issuer.createUser({ reference: 'two', idempotencyKey: 'two' });
  const request = { cardIssuerUserId: user.id, cards: [terms], idempotencyKey: 'card' };
  const cards = await second.issuer.createCards(request);
  await second.stop();

  const third = await start(t, folder);
  assert.deepEqual(await third.issuer.readCard(cards[0]!.id), cards[0]);
  assert.equal((await allEvents(third.issuer)).length, kept.length + 2);
});

test('it refuses to start, with one sentence, on damaged or missing files', async (t) => {
  const good = path.join(temporary, 'good');
  const first = await start(t, good);
  const { id } = await first.issuer.createUser({ reference: 'one', idempotencyKey: 'one' });
  await first.issuer.createCards({ cardIssuerUserId: id, cards: [terms], idempotencyKey: 'two' });
  await first.stop();
  const flip = (file: string, at: number) => {
    const content = readFileSync(file);
    content[at]! ^= 1;
    writeFileSync(file, content);
  };
  const cases: [string, (folder: string) => void, RegExp][] = [
    [
      'journal altered',
      (folder) => flip(path.join(folder, 'journal.jsonl'), 100),
      /journal\.jsonl is damaged in line 1\.$/,
    ],
    [
      'vault altered',
      (folder) => flip(path.join(folder, 'vault.jsonl'), 100),
      /vault\.jsonl is damaged in line 1\.$/,
    ],
    [
      'vault key missing',
      (folder) => rmSync(path.join(folder, 'vault.key')),
      /vault\.key is missing; restore it\.$/,
    ],
    [
      'vault key cut',
      (folder) => truncateSync(path.join(folder, 'vault.key'), 10),
      /vault\.key is damaged; restore it\.$/,
    ],
    [
      'another vault’s key',
      (folder) => writeFileSync(path.join(folder, 'vault.key'), Buffer.alloc(32, 7).toString('base64')),
      /The vault does not open with the key beside it\.$/,
    ],
    [
      'vault missing',
      (folder) => {
        rmSync(path.join(folder, 'vault.jsonl'));
        rmSync(path.join(folder, 'vault.key'));
      },
      /The vault lacks 1 of the journal’s cards\.$/,
    ],
  ];
  for (const [what, spoil, sentence] of cases) {
    const folder = path.join(temporary, what);
    cpSync(good, folder, { recursive: true });
    spoil(folder);
    await assert.rejects(start(t, folder), (error) => {
      assert.ok(error instanceof StartupError, what);
      assert.match(error.message, sentence, what);
      assert.equal(error.message.split('\n').length, 1, what);
      return true;
    });
  }
  // It was the damage: as it was, it starts.
  renameSync(good, path.join(temporary, 'moved'));
  await start(t, path.join(temporary, 'moved'));
});

test('it refuses to start on a port that is taken, and waits for one that is about to be free', async (t) => {
  const holder = createServer().listen(0, '127.0.0.1');
  t.after(() => holder.close());
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const options = {
    folder: path.join(temporary, 'port'),
    token,
    port,
    logFile: path.join(temporary, 'issuer.log'),
  };
  await assert.rejects(
    startIssuer(options),
    (error) => error instanceof StartupError && /EADDRINUSE/.test(error.message),
  );
  setTimeout(() => holder.close(), 1_000);
  const running = await startIssuer(options);
  t.after(() => running.stop());
  assert.equal(running.url, `http://127.0.0.1:${port}`);
});

test('two do not run on one folder: the second one waits for the first to be gone', async (t) => {
  const folder = path.join(temporary, 'two');
  const first = await start(t, folder);
  let isUp = false;
  const starting = start(t, folder).finally(() => {
    isUp = true;
  });
  await sleep(2_500);
  assert.equal(isUp, false);
  await first.issuer.createUser({ reference: 'late', idempotencyKey: 'late' });
  await first.stop();
  assert.equal((await allEvents((await starting).issuer)).length, 1);
});

/** Another process that starts the issuer and keeps running. */
async function startSupervisor(folder: string): Promise<{ child: ChildProcess; url: string }> {
  const script = `
    const [module, folder, token, logFile] = process.argv.slice(1);
    const { startIssuer } = await import(module);
    console.log((await startIssuer({ folder, token, logFile })).url);
    setInterval(() => {}, 1_000);
  `;
  const module = path.join(import.meta.dirname, 'index.ts');
  const args = [
    '--input-type=module',
    '-e',
    script,
    module,
    folder,
    token,
    path.join(temporary, 'issuer.log'),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = (await createInterface({ input: child.stdout! })[Symbol.asyncIterator]().next()).value;
  assert.ok(line, 'the supervisor ended before the issuer was up');
  return { child, url: line };
}

test('no issuer outlives its supervisor, and the next one takes over what it left', async (t) => {
  const folder = path.join(temporary, 'orphan');
  const { child, url } = await startSupervisor(folder);
  const orphan = createHttpIssuer({ url, token });
  const user = await orphan.createUser({ reference: 'one', idempotencyKey: 'one' });
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const next = await start(t, folder);
  assert.deepEqual(await next.issuer.createUser({ reference: 'one', idempotencyKey: 'one' }), user);
  assert.equal((await allEvents(next.issuer)).length, 1);
  await assert.rejects(orphan.readEvents({ after: 0n, limit: 1 }), IssuerFault);
});
