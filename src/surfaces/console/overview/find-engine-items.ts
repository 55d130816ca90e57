import { showDuration } from '#platform/values/duration';
import { answerAddress } from '../links.ts';
import type { Item, Sources } from './attention.ts';

/** Workers hold a new withdrawal within seconds; a signed one is final within a quarter of an hour. */
const oldSeconds: Readonly<Record<string, number>> = { queued: 300, processing: 3_600 };

const doctor = answerAddress('doctor');

/** Payouts that should have moved on. What is pending says what it waits for. */
export async function findOldPayouts({ figures, words }: Sources): Promise<Item[]> {
  const ages = await figures('causeway_withdrawals_oldest_age_seconds');
  return ages.flatMap(({ labels: { network = '', status = '' }, value }) => {
    const limit = oldSeconds[status];
    if (limit === undefined || value <= limit) return [];
    const filter = { status, network, olderThanSeconds: String(limit) };
    const text = words.overview.items.old(network, status, showDuration(value));
    return [{ text, address: answerAddress('withdrawals.list', filter), isGrave: true }];
  });
}

/** What the last verifications found. */
export async function findFaultyLedgers({ figures, words }: Sources): Promise<Item[]> {
  const [{ value } = { value: 0 }] = await figures('causeway_ledger_faulty');
  if (value === 0) return [];
  return [{ text: words.overview.items.faultyLedgers(value), address: '/console/ledger', isGrave: true }];
}

/** What the last comparison of chain and ledger found. */
export async function findTreasury({ figures, words }: Sources): Promise<Item[]> {
  const { shortfall, unexplained } = words.overview.items;
  const [short, strange] = await Promise.all([
    figures('causeway_treasury_shortfall'),
    figures('causeway_treasury_unexplained'),
  ]);
  const itemsOf = (rows: typeof short, describe: typeof shortfall) =>
    rows
      .filter(({ value }) => value !== 0)
      .map(({ labels: { network = '', currency = '' }, value }) => ({
        text: describe(String(value), currency, network),
        address: `/console/reconcile#${network}`,
        isGrave: true,
      }));
  return [...itemsOf(short, shortfall), ...itemsOf(strange, unexplained)];
}

/** Without workers nothing is paid. */
export async function findJobs({ readJobs, words }: Sources): Promise<Item[]> {
  const { noWorker, silent, stuck: stuckText, unread } = words.overview.items;
  const read = await readJobs();
  if (!read) return [{ text: unread(words.overview.jobs), address: '/console', isGrave: true }];
  const { newestSeconds, isSilent, stuck } = read;
  if (newestSeconds === undefined) return [{ text: noWorker, address: doctor, isGrave: true }];
  if (isSilent) return [{ text: silent(showDuration(newestSeconds)), address: doctor, isGrave: true }];
  return stuck.map(({ name, ageSeconds }) => ({
    text: stuckText(name, showDuration(ageSeconds)),
    address: doctor,
    isGrave: true,
  }));
}
