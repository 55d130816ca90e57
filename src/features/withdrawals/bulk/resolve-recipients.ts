import type { Ctx } from '#context';
import { areRefused } from '#features/payouts';
import { type Detail, Refusal } from '#platform/errors/errors';
import type { Asset } from '../assets.ts';
import { withdrawalErrors } from '../errors.ts';
import { findRecipient, type Recipient, type RecipientRequest } from '../resolve-recipient.ts';

/** Few, so that other requests get connections meanwhile. */
const lookUpsAtOnce = 4;
/** Of each call to a node and of those to the screening provider. */
const addressesAtOnce = 50;

/** Who each payment goes to, by its place, and why others may not be paid. */
export interface Resolved {
  recipients: Map<number, Recipient>;
  faults: Map<number, Detail>;
}

/** As `resolveRecipient` for each of the requests, which are given by their places. */
export async function resolveRecipients(
  ctx: Ctx,
  requests: ReadonlyMap<number, RecipientRequest>,
): Promise<Resolved> {
  const recipients = new Map<number, Recipient>();
  const faults = new Map<number, Detail>();
  const note = (at: number, { message }: Refusal) =>
    void faults.set(at, { field: `withdrawals.${at}.to`, message });
  await forSome(requests, lookUpsAtOnce, async ([at, request]) => {
    try {
      recipients.set(at, await findRecipient(ctx, request));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      note(at, error);
    }
  });
  for (const [asset, places] of placesByAsset(requests)) {
    const paid = places.filter((at) => recipients.has(at) && !requests.get(at)!.isPaid);
    for (let from = 0; from < paid.length; from += addressesAtOnce) {
      const page = paid.slice(from, from + addressesAtOnce);
      const refused = await areRefused(
        ctx,
        asset,
        page.map((at) => recipients.get(at)!.address),
      );
      for (const at of page.filter((_, n) => refused[n])) note(at, withdrawalErrors.receiverNotEligible());
    }
  }
  return { recipients, faults };
}

function placesByAsset(requests: ReadonlyMap<number, RecipientRequest>): Map<Asset, number[]> {
  const places = new Map<Asset, number[]>();
  for (const [at, { asset }] of requests) {
    const those = places.get(asset) ?? [];
    those.push(at);
    places.set(asset, those);
  }
  return places;
}

/** At most `many` at a time. */
async function forSome<Item>(
  items: Iterable<Item>,
  many: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const workThrough = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: many }, workThrough));
}
