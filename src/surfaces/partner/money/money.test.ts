import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCsv } from '#test/callers/read-csv';
import { makeAddress, makeFunds, makeKey, makeWithdrawal } from '#test/data/factories';
import { useHarness } from '#test/harness';
import { hiddenIn, linksIn, signIn, unescaped, type Visitor } from '#test/worlds/console';
import { localhostOf } from '#test/worlds/people';

const harness = useHarness({ rateLimitStore: 'postgres' });

async function makeTeam() {
  const key = await makeKey(harness);
  const at = (role: string) => signIn(harness, { role, partnerId: key.partnerId });
  return { key, userId: key.userId, at, finance: await at('finance') };
}

const countStored = async (partnerId: string) =>
  (await harness.deps.db.query('select 1 from withdrawals where partner_id = $1', [partnerId])).length;

const head = 'to,amount,currency,network,externalId';
const rowOf = (externalId: string) => `${makeAddress()},1.5,USDT,polygon,${externalId}`;

/** A form with a file, as a browser without script sends it. */
function sendFile(visitor: Visitor, fields: Record<string, string>, file: Buffer, csrf = visitor.csrf) {
  const boundary = 'boundary-of-a-test';
  const part = (name: string, content: string | Buffer, more = '') =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  const body = Buffer.concat([
    ...Object.entries({ csrf, ...fields }).map(([name, value]) => part(name, value)),
    part('file', file, '; filename="payouts.csv"\r\nContent-Type: text/csv'),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return fetch(new URL('/partner/payouts/upload', harness.url), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: visitor.cookie, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: new Uint8Array(body),
  });
}

test('a withdrawal: form, confirmation with limits, paid once, its life; a form that is sent twice pays once', async () => {
  const { key, userId, finance } = await makeTeam();
  assert.ok((await finance.get('/partner/withdrawals/new')).body.includes('New withdrawal'));
  const to = makeAddress();
  const typed = { userId, asset: 'USDT polygon', amount: '2.5', to, externalId: '<b>rent</b>' };
  const asked = await finance.post('/partner/withdrawals/new', typed);
  assert.ok(asked.body.includes('Pay this?') && asked.body.includes('No limit applies'));
  assert.ok(!asked.body.includes('<b>rent'));
  const fields = { ...typed, name: hiddenIn(asked.body, 'name') };
  const [one, two] = await Promise.all([1, 2].map(() => finance.post('/partner/withdrawals/create', fields)));
  assert.deepEqual([one!.status, two!.status], [303, 303]);
  assert.equal(await countStored(key.partnerId), 1);
  const location = one!.headers.get('location')!;
  assert.equal(two!.headers.get('location'), location);
  const progress = await finance.get(location);
  assert.ok(progress.body.includes('0 / 1'));
  const list = await finance.get('/partner/withdrawals?text=%3Cb%3Erent%3C%2Fb%3E');
  const own = linksIn(list.body).find((link) => link.startsWith('/partner/withdrawals/0'))!;
  const life = await finance.get(own);
  assert.ok(life.body.includes('2.5 USDT') && unescaped(life.body).includes('<b>rent</b>'));
  assert.ok(!life.body.includes('<b>rent</b>'));
});

test('503: the confirmation comes back with the same key, so that sending it again pays once', async () => {
  const { key, userId, finance } = await makeTeam();
  const typed = { userId, asset: 'USDT polygon', amount: '2.5', to: makeAddress(), externalId: 'lost' };
  const asked = await finance.post('/partner/withdrawals/new', typed);
  const fields = { ...typed, name: hiddenIn(asked.body, 'name') };
  const { db } = harness.deps;
  await db.query(`create function lose() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`);
  await db.query('create trigger lose after insert on withdrawals for each row execute function lose()');
  const lost = await finance.post('/partner/withdrawals/create', fields);
  await db.query('drop trigger lose on withdrawals');
  await db.query('drop function lose()');
  assert.equal(lost.status, 503);
  assert.ok(lost.body.includes('It is not known whether this was stored'));
  assert.equal(hiddenIn(lost.body, 'name'), fields.name);
  for (let sent = 0; sent < 2; sent++)
    assert.equal((await finance.post('/partner/withdrawals/create', fields)).status, 303);
  assert.equal(await countStored(key.partnerId), 1);
});

test('400 a form with files has at most 20 parts, and a developer sends none', async () => {
  const { finance, at } = await makeTeam();
  const boundary = 'mark';
  const part = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n`;
  const send = (visitor: typeof finance, parts: number) =>
    harness.request('POST', '/partner/payouts/upload', {
      headers: {
        host: new URL(localhostOf(harness)).host,
        cookie: visitor.cookie,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      body: `${part.repeat(parts)}--${boundary}--\r\n`,
    });
  const startedAt = performance.now();
  const many = await send(finance, 60_000);
  assert.equal(many.status, 400);
  assert.ok(many.body.includes('Form has too many fields'));
  assert.ok(performance.now() - startedAt < 5_000, 'no part was parsed');
  assert.equal((await send(finance, 20)).status, 403, 'the form has no token');
  assert.equal((await send(await at('developer'), 1)).status, 403);
});

test('what the API refuses is shown at its field, with what was typed; nothing is paid', async () => {
  const { key, userId, finance, at } = await makeTeam();
  const typed = { userId, asset: 'USDT polygon', amount: '1,5', to: makeAddress(), externalId: 'kept' };
  const create = async (fields: Record<string, string>) => {
    const { body } = await finance.post('/partner/withdrawals/new', fields);
    return finance.post('/partner/withdrawals/create', {
      ...fields,
      name: hiddenIn(body, 'name'),
    });
  };
  const refused = await create(typed);
  assert.ok(refused.body.includes('must be digits with at most 6 decimals'));
  assert.ok(refused.body.includes('value="1,5"') && refused.body.includes('value="kept"'));
  const unknown = await create({ ...typed, amount: '1', to: 'nobody@example.com' });
  assert.ok(unknown.body.includes('Error finding user verified wallet'));
  const developer = await at('developer');
  const { body } = await developer.post('/partner/withdrawals/new', { ...typed, amount: '1' });
  const fields = { ...typed, amount: '1', name: hiddenIn(body, 'name') };
  assert.ok((await developer.post('/partner/withdrawals/create', fields)).body.includes('Your role may not'));
  const foreign = await finance.post('/partner/withdrawals/create', { ...fields, csrf: 'x' });
  assert.equal(foreign.status, 403);
  assert.equal(await countStored(key.partnerId), 0);
});

test('a file: preview with sums, paid once, progress, and the words that it was paid; again by a tick', async () => {
  const { key, userId, finance, at } = await makeTeam();
  await makeFunds(harness, userId, 'polygon', 'USDT', '1');
  const file = Buffer.from([head, rowOf('a'), rowOf('<script>alert(1)</script>')].join('\n'));
  const open = async (visitor: Visitor) => {
    const sent = await sendFile(visitor, { userId }, file);
    assert.equal(sent.status, 303);
    const address = sent.headers.get('location')!;
    return { address, page: (await visitor.get(address)).body as string };
  };
  const first = await open(finance);
  assert.ok(first.page.includes('Pay 2 rows') && first.page.includes('The account has less than this'));
  assert.ok(!first.page.includes('<script>alert'));
  const owner = await at('owner');
  const second = await open(owner);
  const pay = (visitor: Visitor, { address, page }: typeof first, more: Record<string, string> = {}) =>
    visitor.post(address, { once: hiddenIn(page, 'once'), times: hiddenIn(page, 'times'), ...more });
  const answers = await Promise.all([pay(finance, first), pay(owner, second)]);
  const places = answers.map(({ headers }) => headers.get('location')!.split('?')[0]);
  assert.equal(places[0], places[1]);
  assert.equal(await countStored(key.partnerId), 2);
  const third = await open(owner);
  assert.ok(third.page.includes('This file was paid'));
  const again = await pay(owner, third);
  assert.ok((await owner.get(again.headers.get('location')!)).body.includes('Nothing was created now'));
  assert.equal(await countStored(key.partnerId), 2);
  await pay(owner, await open(owner), { again: '1' });
  assert.equal(await countStored(key.partnerId), 4);
  const progress = await finance.get(places[0]!);
  assert.ok(progress.body.includes('0 / 2') && !progress.body.includes('<script>alert'));
});

test('rows of another file, or twice in one, are marked as possible second payments, also at the last moment', async () => {
  const { key, userId, finance, at } = await makeTeam();
  const owner = await at('owner');
  const [same, twice] = [rowOf('a'), rowOf('b')];
  const open = async (visitor: Visitor, ...rows: string[]) => {
    const sent = await sendFile(visitor, { userId }, Buffer.from([head, ...rows].join('\n')));
    const address = sent.headers.get('location')!;
    return { address, page: (await visitor.get(address)).body as string };
  };
  const pay = (visitor: Visitor, { address, page }: { address: string; page: string }) => {
    const hidden = ['once', 'times', 'repeats'].map((name) => [name, hiddenIn(page, name)]);
    return visitor.post(address, Object.fromEntries(hidden));
  };
  const first = await open(finance, same, twice, twice);
  assert.ok(
    first.page.includes('1 row may be a second payment') && first.page.includes('Row 3 of this file'),
  );
  const second = await open(owner, same, rowOf('c'));
  assert.ok(!second.page.includes('second payment'));
  assert.equal((await pay(finance, first)).status, 303);
  const late = await pay(owner, second);
  assert.equal(late.status, 409);
  assert.ok(late.body.includes('Nothing was paid.') && late.body.includes('href="/partner/withdrawals/'));
  assert.equal(await countStored(key.partnerId), 3);
  assert.equal((await pay(owner, { ...second, page: late.body })).status, 303);
  assert.equal(await countStored(key.partnerId), 5);
});

test('files that cannot be read are refused in words, and a form of another site is refused', async () => {
  const { userId, finance } = await makeTeam();
  for (const [bytes, words] of [
    [Buffer.from([0x50, 0x4b, 3, 4, 0, 0xff]), 'must be a text in UTF-8'],
    [Buffer.from([...Buffer.from(`${head}\n`), 0xe9, 0xe3]), 'must be a text in UTF-8'],
    [Buffer.from('a,b\n1,2'), 'the columns are to, amount'],
    [Buffer.from(''), 'must not be empty'],
  ] as const) {
    const page = await (await sendFile(finance, { userId }, bytes)).text();
    assert.ok(page.includes(words), words);
  }
  const wrong = Buffer.from([head, 'nobody@example.com,x,<i>,polygon,"=1"'].join('\n'));
  const sent = await sendFile(finance, { userId }, wrong);
  const { body } = await finance.get(sent.headers.get('location')!);
  assert.ok(body.includes('Faults: 1.') && body.includes('must be one of') && !body.includes('<i>'));
  assert.ok(!body.includes('name="once"'), 'there is nothing to confirm');
  assert.equal((await sendFile(finance, { userId }, wrong, 'x')).status, 403);
});

test('the list, its file, limits and statements; a page of a thousand rows stays small', async () => {
  const { key, userId, finance, at } = await makeTeam();
  await makeWithdrawal(harness, key, { externalId: '=cmd()' });
  const { body } = await finance.get('/partner/withdrawals');
  assert.ok(body.includes('1 USDT') || body.includes('<strong>1</strong> USDT'));
  const file = await finance.get('/partner/withdrawals/export?status=queued');
  assert.equal(readCsv(file.body)[0]!.externalId, "'=cmd()");
  assert.ok((await finance.get('/partner/limits')).body.includes('No limit applies'));
  const month = new Date().toISOString().slice(0, 7);
  const query = `userId=${userId}&month=${month}&format=csv`;
  const statement = await finance.get(`/partner/statements/file?${query}`);
  assert.equal(statement.status, 200, statement.body);
  assert.match(statement.headers.get('content-type')!, /^text\/csv/);
  assert.equal((await (await at('developer')).get(`/partner/statements/file?${query}`)).status, 403);
  const rows = Array.from({ length: 1_000 }, (_, n) => rowOf(`${'x'.repeat(200)} ${n}`));
  const sent = await sendFile(finance, { userId }, Buffer.from([head, ...rows].join('\n')));
  const preview = await finance.get(sent.headers.get('location')!);
  assert.equal(preview.status, 200);
  assert.ok(Buffer.byteLength(preview.body) < 60_000, String(Buffer.byteLength(preview.body)));
  const equal = [head, ...Array(1_000).fill(rowOf('x'.repeat(200)))].join('\n');
  const repeated = await sendFile(finance, { userId }, Buffer.from(equal));
  const { body: warned } = await finance.get(repeated.headers.get('location')!);
  assert.ok(warned.includes('999 rows may be second payments'));
  assert.ok(Buffer.byteLength(warned) < 60_000, String(Buffer.byteLength(warned)));
});

test('in Portuguese, and 404 for what belongs to another partner', async () => {
  const { key, finance } = await makeTeam();
  const bulkId = await makeWithdrawal(harness, key);
  const stranger = (await makeTeam()).finance;
  assert.equal((await stranger.get(`/partner/payouts/${bulkId}`)).status, 404);
  const page = await finance.get(`/partner/payouts/${bulkId}`, { 'accept-language': 'pt-BR' });
  assert.ok(page.body.includes('Andamento') && page.body.includes('lang="pt-BR"'));
  assert.ok(page.body.includes('<dt>na fila</dt>') && page.body.includes('status=queued'));
  const list = await finance.get('/partner/withdrawals', { 'accept-language': 'pt-BR' });
  assert.match(list.body, /<small>há \d+ (?:seg|min)\.<\/small><\/time>/);
  assert.ok(list.body.includes('<span class="status plain" title="queued">na fila</span>'));
  assert.ok(list.body.includes('<option value="processing">em processamento</option>'));
  const [, id] = list.body.match(/partner\/withdrawals\/([0-9a-f-]{36})/)!;
  const life = await finance.get(`/partner/withdrawals/${id}`, { 'accept-language': 'pt-BR' });
  assert.ok(life.body.includes('<strong title="queued">na fila</strong>'));
  const english = await finance.get('/partner/withdrawals');
  assert.ok(english.body.includes('<span class="status plain">queued</span>'));
});
