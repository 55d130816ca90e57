import { dayMs } from '#platform/values/duration';
import type { StoryStep } from '../issuer/index.ts';
import { createRandom } from './random.ts';
import { daysBefore, minuteMs } from './time.ts';

/** A stretch of days in which cards of one account are used. */
export interface Chapter {
  /** Days before today, the first and the last. */
  from: number;
  to: number;
  cardIssuerUserId: string;
  /** How many purchases a hundred days have, on each card. */
  cards: readonly { cardId: string; purchases: number; isAbroad?: boolean }[];
  /** Paid in at its start and every thirty days. */
  collateral: string;
  /** Leave the purchases of the last days unsettled. */
  isOpen?: boolean;
}

interface Merchant {
  merchantName: string;
  merchantCategory: string;
  merchantCountry: string;
  least: number;
  most: number;
}

const atHome: readonly Merchant[] = [
  merchant('Padaria São João', 'Bakeries', 'PT', 240, 980),
  merchant('Metro de Lisboa', 'Transport', 'PT', 180, 1_480),
  merchant('Mercado Municipal', 'Groceries', 'PT', 1_400, 9_800),
  merchant('Livraria Central', 'Books', 'PT', 900, 5_400),
  merchant('Posto Galáxia', 'Fuel', 'PT', 2_500, 7_500),
  merchant('Nuvem Streaming', 'Digital goods', 'IE', 1_199, 1_199),
  merchant('Farmácia Estrela', 'Pharmacies', 'PT', 400, 4_200),
  merchant('Teatro São Luiz', 'Entertainment', 'PT', 1_200, 6_000),
];

const abroad: readonly Merchant[] = [
  merchant('Grand Hotel Atlântico', 'Hotels', 'PT', 9_000, 24_000),
  merchant('Ryokan Aoi', 'Hotels', 'JP', 11_000, 21_000),
  merchant('JR East', 'Transport', 'JP', 900, 8_800),
  merchant('Pastelaria Paulista', 'Restaurants', 'BR', 700, 5_200),
  merchant('Museu do Amanhã', 'Museums', 'BR', 800, 1_600),
];

/** Units of a country's currency for a dollar. */
const rates: Record<string, [currency: string, rate: number, decimals: number]> = {
  PT: ['EUR', 0.92, 2],
  IE: ['EUR', 0.92, 2],
  JP: ['JPY', 149, 0],
  BR: ['BRL', 5.4, 2],
};

/**
 * Most purchases are settled a day later; some are declined, reversed, or refunded after six days. Steps are
 * in the order of their times.
 */
export function tellCardStory(now: Date, chapter: Chapter): StoryStep[] {
  const random = createRandom(chapter.from * 31 + chapter.to);
  const timed: { at: number; step: DraftStep }[] = [];
  const add = (at: number, step: DraftStep) => timed.push({ at, step });
  for (let day = chapter.from; day >= chapter.to; day--) {
    const start = daysBefore(now, day).getTime();
    if ((chapter.from - day) % 30 === 0) {
      const { cardIssuerUserId, collateral: amount } = chapter;
      add(start + 60 * minuteMs, { kind: 'collateral-deposit', cardIssuerUserId, amount });
    }
    for (const { cardId, purchases, isAbroad } of chapter.cards) {
      if (!random.percent(purchases)) continue;
      const shop = random.pick(isAbroad ? abroad : atHome);
      const at = start + random.between(8 * 60, 22 * 60) * minuteMs + random.below(minuteMs);
      const purchase: DraftStep = {
        kind: 'authorization',
        cardId,
        ...priceOf(shop, random.between(shop.least, shop.most)),
      };
      const fate = random.below(100);
      if (fate < 4) {
        const declineReason = random.pick(['declined-by-merchant', 'wrong-pin']);
        add(at, { ...purchase, kind: 'decline', declineReason });
        continue;
      }
      add(at, purchase);
      if (chapter.isOpen && day <= chapter.to + 1) continue;
      const last = daysBefore(now, chapter.to - 1).getTime() - minuteMs;
      const settledAt = Math.min(at + dayMs, last);
      if (fate < 7) add(settledAt, { kind: 'settlement', of: purchase, amount: '0.00' });
      else add(settledAt, { kind: 'settlement', of: purchase });
      if (fate >= 95) add(Math.min(at + 6 * dayMs, last + 1), { kind: 'refund', of: purchase });
    }
  }
  timed.sort((a, b) => a.at - b.at);
  return number(timed);
}

type DraftStep =
  | Omit<Extract<StoryStep, { kind: 'authorization' | 'decline' }>, 'at'>
  | Omit<Extract<StoryStep, { kind: 'collateral-deposit' }>, 'at'>
  | { kind: 'settlement' | 'refund'; of: DraftStep; amount?: string };

/** A purchase that is settled or refunded becomes the number of its step. */
function number(timed: readonly { at: number; step: DraftStep }[]): StoryStep[] {
  const places = new Map(timed.map(({ step }, place) => [step, place]));
  return timed.map(({ at, step }) => {
    const instant = { at: new Date(at).toISOString() };
    return 'of' in step ? { ...instant, ...step, of: places.get(step.of)! } : { ...instant, ...step };
  });
}

function priceOf({ least: _, most: __, ...shop }: Merchant, cents: number) {
  const [localCurrency, rate, decimals] = rates[shop.merchantCountry]!;
  const local = ((cents / 100) * rate).toFixed(decimals);
  return { ...shop, amount: (cents / 100).toFixed(2), localAmount: local, localCurrency };
}

function merchant(
  merchantName: string,
  merchantCategory: string,
  merchantCountry: string,
  least: number,
  most: number,
): Merchant {
  return { merchantName, merchantCategory, merchantCountry, least, most };
}
