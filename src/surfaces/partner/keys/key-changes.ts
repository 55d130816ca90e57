import { html } from '#platform/http/html';
import { renderChoices, renderField } from '#surfaces/frame';
import { addChange, linesOf, withoutEmpty } from '../change.ts';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import { readUsers } from '../read-users.ts';
import { renderSecret } from '../tables.ts';
import { type Key, renderKeyFacts } from './key-pages.ts';

const dayLength = 'YYYY-MM-DD'.length;
/** A day is its beginning in UTC. */
const instantOf = (text: string) => (text.length === dayLength ? `${text}T00:00:00.000Z` : text);

type Call = Parameters<Parameters<typeof addChange>[1]['find']>[0];

const findKey = async ({ call, params }: Call) => {
  const url = `/api/keys/${encodeURIComponent(params.keyId!)}`;
  const [{ body }, users] = await Promise.all([call({ method: 'GET', url }), readUsers(call)]);
  return { key: body as unknown as Key, users };
};

/** Issue, rotate and revoke. */
export function keyChanges(mount: Mount): void {
  addIssue(mount);
  addRotation(mount);
  addRevocation(mount);
}

function renderIssued(
  { visit }: Call,
  body: Record<string, unknown>,
  { users }: Pick<Awaited<ReturnType<typeof findKey>>, 'users'>,
) {
  const { keys } = visit.words.access;
  const key = body as unknown as Key;
  return renderPage(visit, {
    title: keys.issued,
    body: html`<h1>${keys.issued}</h1><div class="card">${renderSecret(visit, keys.token, body.token)}
${renderKeyFacts(visit, key, users)}</div><p><a class="button" href="/partner/keys/${key.id}">${keys.toKey}</a></p>`,
  });
}

function addIssue(mount: Mount): void {
  addChange(mount, {
    path: '/keys/new',
    stepUp: true,
    // The list of keys refuses who may not issue one.
    find: async ({ call }) => {
      const [users] = await Promise.all([readUsers(call), call({ method: 'GET', url: '/api/keys?limit=1' })]);
      return { users };
    },
    show: (visit, { users }, typed, faults) => {
      const { keys, scopes } = visit.words.access;
      const given = Object.entries(scopes).filter(
        ([scope]) => scope !== 'partner:admin' || visit.role === 'owner',
      );
      const user = {
        name: 'userId',
        label: keys.user,
        help: keys.userHelp,
        value: typed.one('userId'),
        required: true,
      };
      return {
        title: keys.issue,
        lead: keys.issueLead,
        fields: html`<div class="fields">
${renderField({ name: 'name', label: keys.name, help: keys.nameHelp, value: typed.one('name'), required: true, maxLength: 100 }, faults)}
${renderField(users.isCut ? user : { ...user, choices: users.choices }, faults)}
${renderChoices({ name: 'scopes', label: keys.scopes, help: keys.scopesHelp, choices: given.map(([scope, words]) => [scope, `${scope}: ${words}`]) }, typed.all('scopes'))}
${renderField({ name: 'ipAllowlist', label: keys.addresses, help: keys.addressesHelp, value: typed.one('ipAllowlist'), rows: 3, placeholder: '203.0.113.0/24' }, faults)}
${renderField({ name: 'expiresAt', label: keys.expires, help: keys.expiresHelp, value: typed.one('expiresAt'), placeholder: '2027-01-31', maxLength: 40 }, faults)}
</div>`,
        label: keys.issue,
        back: ['/partner/keys', keys.back],
      };
    },
    request: (typed) => {
      const blocks = linesOf(typed.one('ipAllowlist'));
      return {
        method: 'POST',
        url: '/api/keys',
        payload: withoutEmpty({
          name: typed.one('name').trim(),
          userId: typed.one('userId').trim(),
          scopes: typed.has('scopes') ? typed.all('scopes') : undefined,
          ipAllowlist: blocks.length > 0 ? blocks : undefined,
          expiresAt: instantOf(typed.one('expiresAt').trim()),
        }),
      };
    },
    done: (given, body, found) => renderIssued(given, body, found),
  });
}

function addRotation(mount: Mount): void {
  addChange(mount, {
    path: '/keys/:keyId/rotate',
    stepUp: true,
    find: findKey,
    show: (visit, { key, users }, typed, faults) => {
      const { keys } = visit.words.access;
      const overlap = typed.has('overlapHours') ? typed.one('overlapHours') : '24';
      return {
        title: keys.rotate,
        lead: keys.rotateLead,
        about: renderKeyFacts(visit, key, users),
        fields: html`<div class="fields">${renderField({ name: 'overlapHours', label: keys.overlap, help: keys.overlapHelp, value: overlap, required: true, inputMode: 'numeric', maxLength: 3 }, faults)}</div>`,
        label: keys.rotate,
        back: [`/partner/keys/${key.id}`, keys.toKey],
      };
    },
    request: (typed, { key }) => ({
      method: 'POST',
      url: `/api/keys/${key.id}/rotate`,
      payload: { overlapHours: Number(typed.one('overlapHours')) },
    }),
    done: (given, body, found) => renderIssued(given, body, found),
  });
}

function addRevocation(mount: Mount): void {
  addChange(mount, {
    path: '/keys/:keyId/revoke',
    find: findKey,
    show: (visit, { key, users }) => {
      const { keys } = visit.words.access;
      return {
        title: keys.revoke,
        lead: keys.revokeLead,
        about: renderKeyFacts(visit, key, users),
        label: keys.revoke,
        back: [`/partner/keys/${key.id}`, keys.toKey],
      };
    },
    request: (_typed, { key }) => ({ method: 'POST', url: `/api/keys/${key.id}/revoke` }),
    done: ({ reply }, _body, { key }) => reply.redirect(`/partner/keys/${key.id}`, 303),
  });
}
