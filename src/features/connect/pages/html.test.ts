import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html } from '#platform/http/html';
import { parseForm, readField, requireFields } from '#platform/pages/form';
import { chooseLanguage } from '#platform/pages/language';
import { userCookie } from './session-cookie.ts';
import { texts } from './texts.ts';

test('html escapes every value but its own', () => {
  const nasty = `<script>alert("&'")</script>`;
  const escaped = '&#60;script&#62;alert(&#34;&#38;&#39;&#34;)&#60;/script&#62;';
  assert.equal(html`<p title="${nasty}">${nasty}</p>`.text, `<p title="${escaped}">${escaped}</p>`);
  assert.equal(
    html`<ul>${[html`<li>${nasty}</li>`, nasty]}</ul>`.text,
    `<ul><li>${escaped}</li>${escaped}</ul>`,
  );
  assert.equal(html`${null}${undefined}${false}${0}${''}`.text, '0');
  const lookalike = { text: nasty } as unknown as string;
  assert.throws(() => html`${lookalike}`, 'an object that is no HTML of ours is no content');
});

for (const [header, language] of [
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['de-DE,de;q=0.9', 'en'],
  ['pt', 'pt-BR'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7', 'pt-BR'],
  ['PT-pt', 'pt-BR'],
  ['en-GB,en;q=0.9,pt;q=0.8', 'en'],
  ['en;q=0.5, pt;q=0.8', 'pt-BR'],
  ['fr, pt;q=0.1', 'pt-BR'],
  ['pt;q=0, en;q=0.1', 'en'],
  ['pt;q=2', 'en'],
  ['pt;q=x', 'en'],
  [';;;,,,=,q=1', 'en'],
  ['ptx', 'en'],
  ['constructor,__proto__', 'en'],
] as const) {
  test(`Accept-Language ${JSON.stringify(header)}: ${language}`, () => {
    assert.equal(chooseLanguage(header), language);
  });
}

test('both languages say everything, each in its own words', () => {
  const flatten = (value: unknown, path = ''): [string, unknown][] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => flatten(inner, `${path}.${key}`))
      : [[path, value]];
  const [en, pt] = [new Map(flatten(texts.en)), new Map(flatten(texts['pt-BR']))];
  assert.deepEqual([...pt.keys()], [...en.keys()]);
  const sameInBoth = ['.documentTypes.cpf', '.documentTypes.cnpj', '.documentTypes.rg'];
  const untranslated = [...en].filter(([path, text]) => typeof text === 'string' && pt.get(path) === text);
  assert.deepEqual(
    untranslated.map(([path]) => path),
    sameInBoth,
  );
});

test('a form is read to the letter', () => {
  const form = parseForm('csrf=a%2Bb&scopes=profile&scopes=email&name=Jos%C3%A9+B');
  assert.deepEqual(form.get('scopes'), ['profile', 'email']);
  assert.equal(readField(form, 'csrf'), 'a+b');
  assert.equal(readField(form, 'name'), 'José B');
  assert.equal(readField(form, 'absent'), '');
  assert.throws(() => readField(form, 'scopes'), { status: 400 });
  assert.throws(() => requireFields(form, ['csrf', 'scopes']), { status: 400 });
  requireFields(form, ['csrf', 'scopes', 'name']);
});

for (const body of ['a=%', 'a=%ff', '%zz=1', '=1', '&', 'a=1&&b=2', 'a=1=2', 'a=1&'.repeat(21)]) {
  test(`400 a form ${JSON.stringify(body.slice(0, 20))} is refused`, () => {
    assert.throws(() => parseForm(body), { status: 400 });
  });
}

test('the cookie over https is Secure, under a name that browsers take from nobody else', () => {
  const publicUrl = 'https://connect.example.com';
  assert.equal(
    userCookie.write(publicUrl, 'x'),
    '__Host-causeway_session=x; Max-Age=900; Path=/; HttpOnly; SameSite=Lax; Secure',
  );
  for (const planted of ['causeway_session=y', '__Secure-causeway_session=y'])
    assert.equal(userCookie.read(publicUrl, planted), undefined);
  assert.equal(userCookie.read(publicUrl, 'a=b; __Host-causeway_session=x ;c=d'), 'x');
});
