import type { Item } from '#platform/commands/values';
import { Refusal } from '#platform/errors/errors';
import { uuidForm } from '#platform/http/schemas';
import type { CallCommand } from '../call-command.ts';
import { placeOf } from '../links.ts';
import type { SharedWallets } from '../share-answer.ts';

export interface Found {
  withdrawals: Item[];
  users: Item[];
  others: Other[];
  /** What is stored about a transaction, besides its withdrawal. */
  transaction: Item[];
}

/** A record of another kind, with the page about it. */
export interface Other {
  kind: OtherKind;
  id: string;
  address: string;
}

/** Kinds whose records are known by the audit log, where each of them begins. */
const audited = ['partner', 'key', 'integration', 'person', 'webhook', 'consent', 'approval'] as const;

export type OtherKind = (typeof audited)[number] | 'application' | 'card' | 'wallet';

const limit = 20;

/** What the commands find for a text: every lookup that its form allows, at the same time. */
export async function find(
  { call, sharedWallets }: { call: CallCommand; sharedWallets: SharedWallets },
  text: string,
): Promise<Found> {
  const list = (name: string, filter: object) =>
    orNothing(call(name, { ...filter, limit }).then(({ data }) => data.items as Item[]));
  const one = orNothing(
    call('withdrawals.show', { withdrawalId: text }).then(({ data }) => [summaryOf(data)]),
  );
  const withdrawals = (filter: object) => list('withdrawals.list', filter);
  const users = (filter: object) => list('users.list', filter);
  const isId = uuidForm.test(text.toLowerCase());
  const isAddress = isHex(text, 40);
  const isHash = isHex(text, 64);
  const isEmail = text.includes('@');
  const found = await Promise.all([
    one,
    withdrawals({ externalId: text }),
    isAddress ? withdrawals({ toAddress: text }) : [],
    isId || isEmail ? withdrawals({ user: text }) : [],
    isId ? withdrawals({ partnerId: text }) : [],
  ]);
  const people = await Promise.all([
    isEmail ? users({ email: text }) : [],
    isId ? users({ userId: text }) : [],
    isAddress ? users({ address: text }) : [],
  ]);
  const mayBeKnown = !(text.includes(' ') || isAddress || isEmail || isHash);
  const [others, records] = await Promise.all([
    isAddress ? findWallets(call, sharedWallets, text) : mayBeKnown ? findOthers(call, text) : [],
    isHash
      ? call('treasury.find-transaction', { transactionHash: text }).then(({ data }) => data.items as Item[])
      : [],
  ]);
  return {
    withdrawals: onceEach(found.flat()),
    users: onceEach(people.flat()),
    others,
    transaction: records.filter(({ kind }) => kind !== 'payout'),
  };
}

/** Our hot wallets, on each network that has one with this address. */
async function findWallets(call: CallCommand, shared: SharedWallets, text: string): Promise<Other[]> {
  const { known } = await shared.findKnown(call);
  const own = known?.wallets.filter(({ address }) => address.toLowerCase() === text.toLowerCase()) ?? [];
  return own.map(({ network, address }) => ({
    kind: 'wallet',
    id: `${network} ${address}`,
    address: `/console/wallets#${network}-${address}`,
  }));
}

async function findOthers(call: CallCommand, id: string): Promise<Other[]> {
  const subjects = audited.map(async (kind): Promise<Other[]> => {
    const subject = `${kind}:${id}`;
    const lookup = call('audit.list', { subject, limit: 1 }).then(({ data }) => data.items as Item[]);
    const address = placeOf('audit.list', 'subject', subject);
    return address !== undefined && (await orNothing(lookup)).length > 0 ? [{ kind, id, address }] : [];
  });
  const shown = [
    ['card', 'cards.show', 'cardId'],
    ['application', 'integrations.show-application', 'applicationId'],
  ] as const;
  const records = shown.map(async ([kind, name, field]): Promise<Other[]> => {
    const items = await orNothing(call(name, { [field]: id }).then(({ data }) => [data]));
    return items.map(() => ({ kind, id, address: placeOf(name, field, id)! }));
  });
  return (await Promise.all([...subjects, ...records])).flat();
}

const summaryOf = ({ states: _states, payout: _payout, formerPayouts: _former, ...facts }: Item): Item =>
  facts;

const onceEach = (items: readonly Item[]) => [...new Map(items.map((item) => [item.id, item])).values()];

/** `0x` and this many hexadecimal digits. */
const isHex = (text: string, digits: number) =>
  text.length === digits + 2 &&
  text.toLowerCase().startsWith('0x') &&
  [...text.slice(2).toLowerCase()].every((digit) => '0123456789abcdef'.includes(digit));

/** A lookup that the text does not suit, or that finds nothing. */
async function orNothing(lookup: Promise<Item[]>): Promise<Item[]> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) return [];
    throw error;
  }
}
