import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import pg from 'pg';
import { testFolder } from '../harness.ts';

// Runs after every other test: whatever those used as a secret must be nowhere in what they left behind.

const indexLength = 8;
/** Of a hash of the last four characters, which each add five bits. */
const hashes = 2 ** 20;
const addToHash = (hash: number, code: number) => ((hash << 5) ^ code) & (hashes - 1);

/**
 * A search for all secrets at once, each also as the hex of a bytea and as base64: one pass over the text. A
 * slice and a look-up at each character took ten times as long as a hash that few places share.
 */
function createSearch(secrets: Iterable<string>): (text: string) => string[] {
  const byStart = new Map<string, string[]>();
  const isStart = new Uint8Array(hashes);
  for (const secret of secrets) {
    assert.ok(
      secret.length >= indexLength,
      `a secret of ${secret.length} characters would be found by chance`,
    );
    const bytes = Buffer.from(secret);
    for (const form of [
      secret,
      bytes.toString('hex'),
      bytes.toString('base64').replace(/=+$/, '').slice(0, -1),
    ]) {
      const start = form.slice(0, indexLength);
      byStart.set(start, [...(byStart.get(start) ?? []), form]);
      isStart[Array.from(start, (_, at) => start.charCodeAt(at)).reduce(addToHash, 0)] = 1;
    }
  }
  return (text) => {
    const found = new Set<string>();
    let hash = 0;
    for (let end = 0; end < text.length; end++) {
      hash = addToHash(hash, text.charCodeAt(end));
      if (isStart[hash] === 0) continue;
      const at = end + 1 - indexLength;
      for (const form of byStart.get(text.slice(Math.max(at, 0), end + 1)) ?? []) {
        if (text.startsWith(form, at)) found.add(form);
      }
    }
    return [...found];
  };
}

const secrets = new Set<string>();
let search: (text: string) => string[];

before(() => {
  const lines = readFileSync(path.join(testFolder(), 'secrets.txt'), 'utf8').trimEnd().split('\n');
  for (const line of lines) secrets.add(JSON.parse(line));
  search = createSearch(secrets);
});

test('the search finds a secret that is there, in any of its forms', () => {
  assert.ok(secrets.size >= 48, `only ${secrets.size} secrets were noted in this run`);
  const planted = `PLANTED-${randomBytes(8).toString('hex')}`;
  const searchPlanted = createSearch([...secrets, planted]);
  const noise = randomBytes(2_000).toString('base64');
  for (const form of [planted, Buffer.from(planted).toString('hex')]) {
    for (const text of [form, `${noise}${form}`, `${form}${noise}`, `${noise}${form}${noise}`]) {
      assert.deepEqual(searchPlanted(text), [form]);
    }
  }
  assert.equal(searchPlanted(noise + Buffer.from(planted).toString('base64')).length, 1);
  assert.deepEqual(searchPlanted(noise + planted.slice(0, -1)), []);
  for (const secret of secrets) assert.ok(search(`"${secret}"`).includes(secret));
});

test('no secret is in a log of the run', () => {
  const logs = globSync('*.log', { cwd: testFolder() });
  for (const name of ['causeway.log', 'postgres.log', 'causeway-serve.log', 'postgres-away.log']) {
    assert.ok(logs.includes(name), `${name} is not there: ${logs}`);
  }
  const texts = logs.map((name) => ({ name, text: readFileSync(path.join(testFolder(), name), 'utf8') }));
  const requests = texts.flatMap(({ text }) => text.match(/"msg":"request(?: failed)?"/g) ?? []);
  assert.ok(requests.length >= 500, `only ${requests.length} requests were logged in this run`);
  assert.ok(requests.includes('"msg":"request failed"'), 'some failed, with their errors logged');
  for (const { name, text } of texts) assert.deepEqual(search(text), [], name);
});

test('no secret is in a table of a database of the run', async () => {
  const { names, urlOf } = await listDatabases();
  assert.ok(names.length >= 5, `only ${names.length} databases`);
  let rowsSeen = 0;
  const waiting = [...names];
  const work = async () => {
    for (let name = waiting.pop(); name; name = waiting.pop()) {
      for await (const { table, rows } of dumpDatabase(urlOf(name))) {
        rowsSeen += rows.length;
        assert.deepEqual(search(rows.join('\n')), [], `${table} of ${name}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 4 }, work));
  assert.ok(rowsSeen >= 500, `only ${rowsSeen} rows were looked at`);
});

async function listDatabases() {
  const adminUrl = process.env.CAUSEWAY_TEST_POSTGRES!;
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      String.raw`select datname as name from pg_database where datname like 't\_%'`,
    );
    const urlOf = (name: string) => Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href;
    return { names: rows.map(({ name }) => name), urlOf };
  } finally {
    await client.end();
  }
}

// Only a load test fills a table beyond this, by one statement with rows all alike: the two ends of it are
// looked at.
const rowsAtEachEnd = 20_000;

async function* dumpDatabase(url: string): AsyncGenerator<{ table: string; rows: string[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Most tables of most databases are empty: to read them all took half of the time.
    const tables = await client.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
         and pg_relation_size(oid) > 0`,
    );
    const readRows = async (name: string, order: string) => {
      const statement = `select t::text as line from ${name} t order by ${order} limit ${rowsAtEachEnd}`;
      const { rows } = await client.query<{ line: string }>(statement);
      return rows.map(({ line }) => line);
    };
    for (const { name } of tables.rows) {
      const rows = await readRows(name, 'ctid');
      if (rows.length === rowsAtEachEnd) rows.push(...(await readRows(name, 'ctid desc')));
      yield { table: name, rows };
    }
  } finally {
    await client.end();
  }
}
