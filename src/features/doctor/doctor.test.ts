import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { commands } from '../../app.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'causeway-doctor-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const secretFile = path.join(folder, 'hot-wallet.key');
writeFileSync(secretFile, 'not a key', { mode: 0o600 });

const harness = useHarness({
  networks: [],
  secretFiles: [
    { setting: 'HOT_WALLET_KEYS_FILE', file: secretFile },
    { setting: 'OPERATOR_TOKENS_FILE', file: path.join(folder, 'gone') },
  ],
});
const query = (text: string, values?: unknown[]) => harness.deps.db.query(text, values);

interface Item {
  check: string;
  state: string;
  seen: string;
  advice: string | null;
}

async function examine() {
  const { status, body } = await harness.operator('doctor');
  assert.equal(status, 200, JSON.stringify(body));
  const items: Item[] = body.data.items;
  const find = (check: string) => items.find((item) => item.check === check)!;
  const stateOf = (check: string) => find(check).state;
  const { problems, ok, warnings, skipped } = body.data;
  return { items, problems, ok, warnings, skipped, find, stateOf };
}

/** The state of a check after a change, and again after it is undone. */
async function statesOf(check: string, change: () => Promise<unknown>, undo: () => Promise<unknown>) {
  await change();
  const item = (await examine()).find(check);
  await undo();
  return { item, later: (await examine()).stateOf(check) };
}

test('200 doctor: each check has one state, and advice wherever something is to be done', async () => {
  const { items, problems, ok, warnings, skipped } = await examine();
  assert.equal(new Set(items.map(({ check }) => check)).size, items.length);
  assert.ok(items.length > 25);
  for (const { check, state, seen, advice } of items) {
    assert.ok(seen.length > 0 && !seen.includes('Not checked'), `${check}: ${seen}`);
    assert.equal(typeof advice === 'string', state === 'warning' || state === 'problem', check);
    if (advice) assert.match(advice, /^[A-Z].*\.$/, check);
  }
  const of = (state: string) => items.filter((item) => item.state === state).map(({ check }) => check);
  assert.deepEqual(problems, of('problem'));
  assert.deepEqual(
    [ok, warnings, skipped],
    ['ok', 'warning', 'skipped'].map((state) => of(state).length),
  );
  // No worker runs here, and no network has a node.
  assert.deepEqual(problems, ['workers']);
  assert.deepEqual(of('skipped'), ['nodes']);
  const fine = ['database server', 'schema', 'extensions', 'indexes', 'connections', 'session settings'];
  const alsoFine = ['encoding and collation', 'database TLS', 'clock of the database', 'audit log', 'size'];
  for (const check of [...fine, ...alsoFine]) assert.ok(of('ok').includes(check), check);
  // The PostgreSQL of a test run has fsync off; the setting of the test allows that.
  assert.ok(of('warning').includes('durability'));
});

test('every command that a check names exists', () => {
  const folder = path.join(import.meta.dirname, 'checks');
  const texts = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/causeway ([a-z]+) ([a-z-]+)/g)]);
  assert.ok(named.length > 8);
  const starts = ['migrate', 'serve'];
  const known = new Set(commands.map(({ name }) => name));
  const wrong = named.filter(
    ([, first, second]) => !starts.includes(first!) && !known.has(`${first}.${second}`),
  );
  assert.deepEqual(
    wrong.map(([words]) => words),
    [],
  );
});

test('an index that is missing is a problem, one that is defined otherwise a warning', async () => {
  const definition = 'create index api_keys_partner on api_keys (partner_id, id)';
  const missing = await statesOf(
    'indexes',
    () => query('drop index api_keys_partner'),
    () => query(definition),
  );
  assert.equal(missing.item.state, 'problem');
  assert.equal(missing.item.seen, 'Missing: api_keys_partner');
  assert.equal(missing.later, 'ok');
  const other = await statesOf(
    'indexes',
    async () => {
      await query('drop index api_keys_partner');
      await query('create index api_keys_partner on api_keys (partner_id)');
    },
    async () => {
      await query('drop index api_keys_partner');
      await query(definition);
    },
  );
  assert.deepEqual([other.item.state, other.item.seen], ['warning', 'Defined otherwise: api_keys_partner']);
  assert.equal(other.later, 'ok');
});

test('an index of a constraint that is missing is a problem, too', async () => {
  const { item, later } = await statesOf(
    'indexes',
    () => query('alter table job_leases drop constraint job_leases_pkey'),
    () => query('alter table job_leases add constraint job_leases_pkey primary key (job)'),
  );
  assert.deepEqual([item.state, item.seen, later], ['problem', 'Missing: job_leases_pkey', 'ok']);
});

test('an index whose build failed is a problem', async () => {
  await makeKey(harness);
  await makeKey(harness);
  const { item, later } = await statesOf(
    'indexes',
    () => assert.rejects(query('create unique index concurrently half_built on users ((1))')),
    () => query('drop index half_built'),
  );
  assert.deepEqual([item.state, item.seen], ['problem', 'Not valid, so not used: half_built']);
  assert.equal(item.advice, 'Run reindex index concurrently half_built.');
  assert.equal(later, 'ok');
});

test('a schema that is older is a problem, a newer one a warning', async () => {
  const older = await statesOf(
    'schema',
    () => query('update schema_migrations set version = -version where version > 60'),
    () => query('update schema_migrations set version = -version where version < 0'),
  );
  assert.equal(older.item.state, 'problem');
  assert.match(older.item.seen, /^The database is at schema version 60 and this release needs \d+$/);
  const newer = await statesOf(
    'schema',
    () => query(`insert into schema_migrations values (9999, 'later', '')`),
    () => query('delete from schema_migrations where version = 9999'),
  );
  assert.deepEqual([newer.item.state, newer.later], ['warning', 'ok']);
});

test('our clock differs from that of the database: a warning, then a problem', async () => {
  harness.advance(5_000);
  const near = (await examine()).find('clock of the database');
  assert.equal(near.state, 'warning');
  assert.match(near.seen, /^[45]\.\d s behind ours$/);
  harness.advance(-125_000);
  const far = (await examine()).find('clock of the database');
  assert.equal(far.state, 'problem');
  assert.match(far.seen, /^1(19|20)\.\d s ahead of ours$/);
  harness.advance(120_000);
});

test('files of secrets: open to everybody is a problem, writable by a group a warning', async () => {
  const find = async (mode: number) => {
    chmodSync(secretFile, mode);
    const { state, seen } = (await examine()).find('secret files');
    return [state, seen];
  };
  const open = 'Open to every user of this machine: HOT_WALLET_KEYS_FILE';
  assert.deepEqual(await find(0o644), ['problem', open]);
  assert.deepEqual(await find(0o660), ['warning', 'Writable by a group: HOT_WALLET_KEYS_FILE']);
  assert.deepEqual(await find(0o640), ['ok', '1 file, closed to other users']);
});

test('workers: none yet, silent ones, a job that is stuck', async () => {
  const lease = (job: string, age: string) =>
    query(
      `insert into job_leases (job, turn, expires_at) values ($1, 1, now() - $2::interval)
       on conflict (job) do update set expires_at = excluded.expires_at`,
      [job, age],
    );
  await lease('requests.sweep', '20 minutes');
  const silent = (await examine()).find('workers');
  assert.deepEqual([silent.state, silent.seen], ['problem', 'No worker has run a job for 20 min']);
  await lease('rate-limit.sweep', '10 seconds');
  const stuck = (await examine()).find('workers');
  assert.deepEqual([stuck.state, stuck.seen], ['warning', 'No recent turn: requests.sweep (20 min)']);
  await lease('requests.sweep', '10 seconds');
  assert.equal((await examine()).stateOf('workers'), 'ok');
});

test('the audit log: rows removed at the end are a problem', async () => {
  await harness.operator('partners.create', { name: 'Removed later' });
  await query('alter table audit_log disable trigger all');
  await query('delete from audit_log where id = (select max(id) from audit_log)');
  const item = (await examine()).find('audit log');
  assert.deepEqual(
    [item.state, item.seen],
    ['problem', 'Not intact: the newest rows were removed or rewritten'],
  );
});
