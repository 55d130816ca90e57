import { shorten } from '#platform/commands/values';
import type { Html } from '#platform/http/html';
import { html } from '#platform/http/html';

const encoded = encodeURIComponent;

/** The form of a command with fields filled in. */
export const formAddress = (name: string, fields: Record<string, string> = {}) =>
  addressOf(`/console/commands/${name}`, fields);

/** The answer of a command that changes nothing. */
export const answerAddress = (name: string, fields: Record<string, string> = {}) =>
  addressOf(`/console/commands/${name}`, { ...fields, run: '1' });

/** The deposits of a transaction. */
export const depositAddress = (hash: string) => `/console/deposits/${encoded(hash)}`;

export const searchAddress = (text: string) => addressOf('/console/search', { q: text });

export function addressOf(path: string, fields: Record<string, string>): string {
  const query = new URLSearchParams(fields).toString();
  return query === '' ? path : `${path}?${query}`;
}

/** The page about what a field names. */
const places: Readonly<Record<string, (id: string) => string>> = {
  withdrawalId: (id) => `/console/withdrawals/${encoded(id)}`,
  bulkId: (id) => `/console/withdrawals/${encoded(id)}`,
  userId: (id) => `/console/users/${encoded(id)}`,
  recipientUserId: (id) => `/console/users/${encoded(id)}`,
  partnerId: (partnerId) => answerAddress('partners.list-users', { partnerId }),
  keyId: (keyId) => answerAddress('withdrawals.list', { keyId }),
  personId: (personId) => answerAddress('people.show', { personId }),
  integrationId: (integrationId) => answerAddress('consents.list', { integrationId }),
  consentId: (consentId) => answerAddress('consents.reads', { consentId }),
  endpointId: (id) => `/console/webhooks/${encoded(id)}`,
  webhookId: (id) => `/console/webhooks/${encoded(id)}`,
  cardId: (cardId) => answerAddress('cards.show', { cardId }),
  applicationId: (id) => `/console/applications/${encoded(id)}`,
  approvalId: (id) => answerAddress('approvals.show', { id }),
  auditId: (id) => `/console/audit/${encoded(id)}`,
  command: (name) => formAddress(name),
  transactionHash: searchAddress,
  hash: searchAddress,
  toAddress: searchAddress,
  email: searchAddress,
};

/** What the field `id` is in the answers of a feature's commands. */
const ownIds: Readonly<Record<string, string>> = {
  approvals: 'approvalId',
  cards: 'cardId',
  consents: 'consentId',
  integrations: 'integrationId',
  partners: 'partnerId',
  people: 'personId',
  users: 'userId',
  webhooks: 'endpointId',
  withdrawals: 'withdrawalId',
};

/** Commands of a feature whose `id` is that of something else with a page. */
const otherIds: Readonly<Record<string, string>> = {
  'audit.list': 'auditId',
  'audit.show': 'auditId',
  'integrations.applications': 'applicationId',
  'integrations.show-application': 'applicationId',
  'integrations.approve': 'applicationId',
  'integrations.refuse': 'applicationId',
};

/** Commands whose answers have the field `id` for something else. */
const withoutOwnId = ['webhooks.deliveries', 'webhooks.show-delivery', 'consents.reads'];

/** Subjects whose pages are about more than one record. */
const subjectPlaces: Readonly<Record<string, (id: string) => string>> = {
  deposits: (network) => addressOf('/console/deposits', { network }),
  positions: (userId) => `/console/users/${encoded(userId)}`,
  rules: () => '/console/rules',
  treasury: (network) => `/console/reconcile#${encoded(network)}`,
  wallet: (place) => `/console/wallets#${encoded(place.replace(':', '-'))}`,
};

/** `subject` of the audit log: `user:0198…`. */
function subjectPlace(subject: string): string | undefined {
  const colon = subject.indexOf(':');
  const [kind, id] = [subject.slice(0, colon), subject.slice(colon + 1)];
  return subjectPlaces[kind]?.(id) ?? places[`${kind}Id`]?.(id);
}

/** The page about a value of an answer, if there is one. */
export function placeOf(command: string, field: string, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  if (field === 'subject') return subjectPlace(value);
  if (field === 'transactionHash' && command === 'deposits.list') return depositAddress(value);
  const name =
    field === 'id' && !withoutOwnId.includes(command)
      ? (otherIds[command] ?? ownIds[command.split('.')[0]!])
      : field;
  return name === undefined ? undefined : places[name]?.(value);
}

/** A short id with the whole one as its title. */
export const renderId = (address: string, id: string): Html =>
  html`<a href="${address}" title="${id}"><code>${shorten(id)}</code></a>`;
