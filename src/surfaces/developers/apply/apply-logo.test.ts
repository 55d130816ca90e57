import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { decode, encode } from 'fast-png';
import { signIn as signInUser } from '#test/callers/visitor';
import { makeConsentRequest, makeUser } from '#test/data/factories';
import { pictures } from '#test/data/pictures';
import { noteSecret, useHarness } from '#test/harness';
import { hiddenIn, signIn, unescaped, type Visitor } from '#test/worlds/console';
import { localhostOf } from '#test/worlds/people';
import { redrawPng } from '../../../platform/values/redraw-png.ts';

const harness = useHarness();
const script = Buffer.from('<!doctype html><script>alert(1)</script>');

async function open(path: string, init: RequestInit = {}) {
  const response = await fetch(localhostOf(harness) + path, { redirect: 'manual', ...init });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
}

let made = 0;

/** Sends the form with a file that claims to be a PNG. */
async function apply(logo: Buffer) {
  made += 1;
  const { headers, text } = await open('/developers/apply');
  const [cookie = ''] = headers.get('set-cookie')!.split(';');
  noteSecret(cookie.split('=')[1]!);
  const body = new FormData();
  for (const [name, value] of [
    ['csrf', noteSecret(hiddenIn(text, 'csrf'))],
    ['name', 'Painter'],
    ['purposes', 'Open an account'],
    ['scopes', 'email'],
    ['redirectUris', 'https://app.example.com/back'],
    ['logoColor', '#1a7f5a'],
    ['applicantName', 'Eva Souza'],
    ['applicantEmail', `logo-${made}@form.example`],
  ] as const)
    body.append(name, value);
  body.append('logo', new File([new Uint8Array(logo)], 'logo.png', { type: 'image/png' }));
  return open('/developers/apply', { method: 'POST', headers: { cookie }, body });
}

const drawPng = (width: number, height: number) => {
  const pixels = Array.from({ length: width * height }, () => [10, 200, 30, 255]);
  return Buffer.from(encode({ width, height, channels: 4, depth: 8, data: Uint8Array.from(pixels.flat()) }));
};

/** The file with more bytes at the end of its pixels' chunk, whose checksum is right. */
function hideIn(file: Buffer, hidden: Buffer): Buffer {
  const at = file.indexOf('IDAT') - 4;
  const end = at + 12 + file.readUInt32BE(at);
  const named = Buffer.concat([file.subarray(at + 4, end - 4), hidden]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(named.length - 4);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([file.subarray(0, at), length, named, checksum, file.subarray(end)]);
}

const newest = async () =>
  (await harness.operator('integrations.applications', { limit: 1 })).body.data.items[0];

type Served = Pick<Awaited<ReturnType<typeof open>>, 'status' | 'headers' | 'bytes'>;

function checkPicture({ status, headers, bytes }: Served, file: Buffer) {
  assert.deepEqual([status, headers.get('content-type')], [200, 'image/png']);
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.match(headers.get('content-security-policy')!, /default-src 'none'; sandbox/);
  assert.match(headers.get('cache-control')!, /max-age=31536000, immutable/);
  assert.ok(bytes.equals(file));
}

/** The first key of an integration, made by its owner. */
async function makeKey(owner: Visitor): Promise<string> {
  const once = hiddenIn((await owner.get('/developers/key')).body, 'once');
  const { body } = await owner.post('/developers/key', { once, overlapHours: '0' });
  const [, keyId = '', secret = ''] = body.slice(body.indexOf('cwi_')).split('<')[0].split('_');
  noteSecret(secret);
  return keyId;
}

test('200 a logo is shown to the applicant, to operators, and after the approval to users', async () => {
  const { status, text } = await apply(Buffer.concat([pictures.png, script]));
  assert.equal(status, 200);
  const link = `/developers/applications/${noteSecret(text.split('/developers/applications/')[1]!.slice(0, 43))}`;
  const { id, logoSha256 } = await newest();
  assert.ok((await open(link)).text.includes(`src="${link}/logo/${logoSha256}"`));
  const picture = await open(`${link}/logo/${logoSha256}`);
  const drawn = redrawPng(pictures.png, 120) as { png: Buffer };
  checkPicture(picture, drawn.png);
  assert.equal(logoSha256, hash('sha256', picture.bytes));
  assert.match(picture.headers.get('cache-control')!, /^private/);

  const staff = await signIn(harness);
  const address = `/console/applications/${id}/logo/${logoSha256}`;
  const review = (await staff.get(`/console/applications/${id}`)).body;
  assert.ok(
    review.includes(`src="${address}"`) && review.includes('/console/commands/integrations.approve?'),
  );
  assert.equal((await open(address)).status, 303);
  assert.equal((await staff.get(address)).headers.get('content-type'), 'image/png');
  const list = (await staff.get('/console/commands/integrations.applications?run=1')).body;
  assert.ok(list.includes(`href="/console/applications/${id}"`));

  const approved = await harness.operator('integrations.approve', { applicationId: id });
  const { integrationId } = approved.body.data;
  const kept = `/connect/logos/${integrationId}/${logoSha256}`;
  checkPicture(await open(kept), picture.bytes);
  const decided = (await staff.get(`/console/applications/${id}`)).body;
  assert.ok(!decided.includes('/console/commands/integrations.approve?'));
  const owner = await signIn(harness, { role: 'owner', integrationId });
  assert.ok((await owner.get('/developers')).body.includes(`src="${kept}"`));
  const asked = { id: integrationId, keyId: await makeKey(owner) } as never;
  const { linkToken } = await makeConsentRequest(harness, asked, { scopes: ['email'] });
  const user = await signInUser(harness, (await makeUser(harness)).id);
  assert.ok((await user.get(`/connect/requests/${linkToken}`)).text.includes(`src="${kept}"`));
});

test('200 a PNG is drawn again: what is hidden behind its pixels is gone, and a large one is made smaller', async () => {
  const { status } = await apply(hideIn(drawPng(300, 150), script));
  assert.equal(status, 200);
  const { id, logoSha256 } = await newest();
  const staff = await signIn(harness);
  const { bytes } = await open(`/console/applications/${id}/logo/${logoSha256}`, {
    headers: { cookie: staff.cookie },
  });
  assert.ok(!bytes.includes('script'));
  const { width, height, data } = decode(bytes);
  assert.deepEqual([width, height], [120, 120]);
  assert.deepEqual([...data.subarray(4 * (60 * 120 + 60), 4 * (60 * 120 + 60) + 4)], [10, 200, 30, 255]);
});

const noPng = 'must be a PNG file: save a picture of another kind as PNG';

for (const [what, file, fault] of [
  ['an HTML file', script, noPng],
  ['an SVG file', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), noPng],
  ['a JPEG', pictures.jpeg, noPng],
  ['a WebP', pictures.webp, noPng],
  [
    'HTML after the first bytes of a PNG',
    Buffer.concat([pictures.png.subarray(0, 8), script]),
    'is a PNG file with errors',
  ],
  ['70 kB', Buffer.concat([pictures.png, Buffer.alloc(70_000)]), 'must be a file of at most 64 kB'],
  ['1 MB', Buffer.alloc(1_000_000), 'must be a file of at most 64 kB'],
] as const) {
  test(`400 ${what} that claims to be a PNG: the fault is at its field, and what was typed stays`, async () => {
    const before = await newest();
    const { status, text } = await apply(file);
    assert.equal(status, 400);
    assert.ok(text.includes('value="Painter"'));
    const [, field = ''] = text.split('id="help-logo"');
    assert.ok(unescaped(field.split('</div>')[0]!).includes(fault));
    assert.deepEqual(await newest(), before);
  });
}

test('an empty file field is an application without a logo; 404 its picture', async () => {
  assert.equal((await apply(Buffer.alloc(0))).status, 200);
  const { id, logoSha256 } = await newest();
  assert.equal(logoSha256, null);
  const staff = await signIn(harness);
  assert.equal((await staff.get(`/console/applications/${id}/logo/${'0'.repeat(64)}`)).status, 404);
  assert.ok(!(await staff.get(`/console/applications/${id}`)).body.includes('class="logo"'));
});

test('the logo of an application is deleted with it', async () => {
  assert.equal((await apply(pictures.png)).status, 200);
  const { id } = await newest();
  const count = async () => {
    const [row] = await harness.deps.db.query<{ count: number }>(
      'select count(*)::integer as count from connect_application_logos where application_id = $1',
      [id],
    );
    return row!.count;
  };
  assert.equal(await count(), 1);
  await harness.deps.db.query('delete from connect_applications where id = $1', [id]);
  assert.equal(await count(), 0);
});
