import { showDuration } from '#platform/values/duration';
import { answerAddress, formAddress } from '../links.ts';
import { findNodeItems } from '../nodes/find-node-items.ts';
import type { Texts } from '../texts/index.ts';
import type { Given, Item, Sources } from './attention.ts';
import { findFaultyLedgers, findJobs, findOldPayouts, findTreasury } from './find-engine-items.ts';

/** Blocks of some networks take a quarter of an hour to become final. */
export const depositLagMaxSeconds = 1_800;
const feedAgeMaxSeconds = 300;
const payoutsLeftMin = 50;

/** What waits, and why; the grave ones first. What could not be read is grave: it may hide anything. */
export async function findAttention(given: Given): Promise<Item[]> {
  const unread: string[] = [];
  const figures: Sources['figures'] = async (name) => {
    const read = await given.figures(name);
    if (!read) unread.push(name);
    return read ?? [];
  };
  const found = await Promise.all(finders.map((find) => find({ ...given, figures })));
  const items = [...found.flat(), ...unread.map((name) => unreadItem(given.words, name))];
  return [...items.filter(({ isGrave }) => isGrave), ...items.filter(({ isGrave }) => !isGrave)];
}

const unreadItem = ({ overview }: Texts, name: string): Item => ({
  text: overview.items.unread(name),
  address: '/console',
  isGrave: true,
});

const finders: readonly ((sources: Sources) => Promise<Item[]>)[] = [
  findWaits,
  findHalts,
  findJobs,
  findNodeItems,
  findOldPayouts,
  findFaultyLedgers,
  findTreasury,
  findPauses,
  findLowGas,
  findDeposits,
  findFeed,
  findEndpoints,
  findApprovals,
  findApplications,
];

async function findWaits({ figures, words }: Sources): Promise<Item[]> {
  const waiting = await figures('causeway_payouts_waiting');
  return waiting.map(({ labels: { network = '', reason = '' }, value }) => ({
    text: words.overview.items.waits(value, network, whyOf(words, reason)),
    address: answerAddress('withdrawals.list', { status: 'pending', network, waitingFor: reason }),
    isGrave: true,
  }));
}

/** A withdrawal that waits for a currency has its symbol there. */
export const whyOf = ({ reasons }: Texts, reason: string) =>
  reasons[reason]?.why ?? `${reason}: ${reasons.currency!.why}`;

async function findHalts({ figures, words }: Sources): Promise<Item[]> {
  const halted = await figures('causeway_payouts_halted');
  return halted
    .filter(({ value }) => value === 1)
    .map(({ labels: { network = '' } }) => ({
      text: words.overview.items.halted(network),
      address: '/console/wallets',
      isGrave: true,
    }));
}

async function findPauses({ call, words }: Sources): Promise<Item[]> {
  const { data } = await call('payouts.list-pauses');
  const pauses = data.pauses as { scope: string; reason: string | null; isPaused: boolean }[];
  return pauses
    .filter(({ isPaused }) => isPaused)
    .map(({ scope, reason }) => ({
      text: words.overview.items.paused(scope, reason ?? '–'),
      address: answerAddress('payouts.list-pauses'),
      isGrave: true,
    }));
}

/** From the wallets and not from figures, which only the processes of workers have. */
async function findLowGas({ wallets, words }: Sources): Promise<Item[]> {
  const address = '/console/wallets';
  const { lowGas, unread } = words.overview.items;
  if (!wallets) return [{ text: unread(words.overview.wallets), address, isGrave: true }];
  return wallets
    .filter(({ isCurrent }) => isCurrent)
    .flatMap<Item>(({ network, onChain }) => {
      const left = onChain?.payoutsLeft ?? undefined;
      if (left === undefined)
        return [{ text: unread(`${words.overview.gas}, ${network}`), address, isGrave: true }];
      return left < payoutsLeftMin ? [{ text: lowGas(network, String(left)), address, isGrave: false }] : [];
    });
}

async function findDeposits({ figures, words }: Sources): Promise<Item[]> {
  const [halted, ages] = await Promise.all([
    figures('causeway_deposits_halted'),
    figures('causeway_deposits_last_block_age_seconds'),
  ]);
  const { depositsHalted, depositLag } = words.overview.items;
  const address = '/console/deposits';
  const ofNetwork = (labels: Record<string, string>) => labels.network ?? '';
  return [
    ...halted
      .filter(({ value }) => value === 1)
      .map(({ labels }) => ({ text: depositsHalted(ofNetwork(labels)), address, isGrave: true })),
    ...ages
      .filter(({ value }) => value > depositLagMaxSeconds)
      .map(({ labels, value }) => ({
        text: depositLag(ofNetwork(labels), showDuration(value)),
        address,
        isGrave: false,
      })),
  ];
}

async function findFeed({ figures, words }: Sources): Promise<Item[]> {
  const [missing, unreadable, ages] = await Promise.all(
    ['missing', 'unreadable', 'read_age_seconds'].map((name) => figures(`causeway_cards_events_${name}`)),
  );
  const address = formAddress('cards.catch-up');
  const { feed, feedBlocked } = words.overview.items;
  const isBlocked = [...missing!, ...unreadable!].some(({ value }) => value === 1);
  const late = ages!.filter(({ value }) => value > feedAgeMaxSeconds);
  return [
    ...(isBlocked ? [{ text: feedBlocked, address, isGrave: true }] : []),
    ...late.map(({ value }) => ({ text: feed(showDuration(value)), address, isGrave: false })),
  ];
}

async function findEndpoints({ figures, words }: Sources): Promise<Item[]> {
  const { items, endpointStates } = words.overview;
  const states = await figures('causeway_webhook_endpoints');
  return states.flatMap(({ labels: { state = '' }, value }) => {
    const name = endpointStates[state];
    if (name === undefined || value === 0) return [];
    return [{ text: items.endpoints(value, name), address: '/console/webhooks', isGrave: false }];
  });
}

async function findApprovals({ figures, words }: Sources): Promise<Item[]> {
  const [{ value } = { value: 0 }] = await figures('causeway_approvals_pending');
  const address = '/console/approvals';
  return value === 0 ? [] : [{ text: words.overview.items.approvals(value), address, isGrave: false }];
}

async function findApplications({ figures, words }: Sources): Promise<Item[]> {
  const [{ value } = { value: 0 }] = await figures('causeway_integration_applications_open');
  const address = answerAddress('integrations.applications', { status: 'open' });
  return value === 0 ? [] : [{ text: words.overview.items.applications(value), address, isGrave: false }];
}
