import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { IssuedKey } from '#features/keys';
import { type LineFields, makeKey, makeLines } from '#test/data/factories';
import { createCards } from '../../src/features/cards/create-cards.ts';
import { simulateActivity } from '../../src/features/cards/simulate-activity.ts';
import { updateCard } from '../../src/features/cards/update-card.ts';
import { refreshPrices } from '../../src/features/portfolio/refresh-prices.ts';
import { type Harness, testFolder } from '../harness.ts';

export interface RichUser extends IssuedKey {
  cardId: string;
  cardIssuerUserId: string;
  /** Of one transaction on chain. */
  transactionHash: string;
}

/** What others may write where they write the most. */
export interface Texts {
  nickname: string;
  merchantName: string;
  description: string;
}

export const usualTexts: Texts = {
  nickname: 'Everyday',
  merchantName: 'Grand Hotel Atlântico',
  description: 'Order 1177 of the summer',
};

/** A document of prices, to be given to a harness as its source. */
export function writePrices(): string {
  const file = path.join(testFolder(), `prices-${randomUUID()}.json`);
  const prices = { USDT: '0.9998', USDC: '1.0001', EURC: '1.0832', ETH: '2650.25', PAXG: '2400.005' };
  writeFileSync(file, JSON.stringify({ prices }));
  return pathToFileURL(file).href;
}

const hash = () => `0x${randomBytes(32).toString('hex')}`;

/**
 * Somebody who has had an account for a year: 12 cards, of which the newest was paid with 25 times, 300 lines
 * in the ledger, of every type and on every network, 12 refills, positions and prices. The harness has an
 * issuer and a source of prices.
 */
export async function makeRichUser(harness: Harness, texts: Texts = usualTexts): Promise<RichUser> {
  const key = await makeKey(harness, { scopes: ['mcp', 'mcp_card_reveal', 'mcp:write'] });
  const { userId } = key;
  const ctx = harness.operatorContext();
  const terms = { nickname: texts.nickname, spendingLimit: '2500' };
  await createCards(ctx, { userId, cards: Array.from({ length: 10 }, () => terms) });
  const { cards } = await createCards(ctx, { userId, cards: [terms, terms] });
  const { id: cardId, cardIssuerUserId } = cards[1]!;
  await updateCard(ctx, { userId, cardId, cardIssuerUserId, status: 'active' });
  await simulateActivity(ctx, { kind: 'collateral-deposit', cardIssuerUserId, amount: '10000' });
  for (let n = 0; n < 25; n++) {
    const { merchantName, description } = texts;
    const { events } = await simulateActivity(ctx, {
      kind: 'authorization',
      cardId,
      merchantName,
      description,
      amount: `${n + 1}.25`,
    });
    const transactionId = events.find((event) => event.type === 'transaction.changed')!.data.id;
    if (n % 5 > 0) await simulateActivity(ctx, { kind: 'settlement', transactionId });
    if (n % 5 === 1) await simulateActivity(ctx, { kind: 'refund', transactionId });
  }
  await insertRefills(harness, { userId, cardIssuerUserId });

  await refreshPrices(ctx);
  await harness.operator('positions.record', {
    userId,
    positions: [
      { kind: 'staked', token: 'ETH', network: 'ethereum', amount: '1.25' },
      { kind: 'tokenized', token: 'PAXG', network: 'ethereum', amount: '0.75', costUsd: '1830.00' },
      { kind: 'tokenized', token: 'ACME', network: 'solana', amount: '3', costUsd: '20' },
    ],
  });
  const transactionHash = hash();
  const lines = Array.from({ length: 300 }, (_, n) => lineOfYear(n, texts.description));
  await makeLines(harness, userId, [...lines, { ...lines[0]!, transactionHash, logIndex: 3 }]);
  return { ...key, cardId, cardIssuerUserId, transactionHash };
}

const networks = ['polygon', 'ethereum', 'base'] as const;

/** Deposits, conversions, transfers and withdrawals in turn, all but conversions on chain. */
function lineOfYear(n: number, description: string): LineFields {
  const place = { transactionHash: hash(), logIndex: n % 40 };
  const transactionDate = new Date(Date.now() - 300_000 * 300 + n * 300_000).toISOString();
  const common = { description, transactionDate, network: networks[n % 3] };
  switch (n % 4) {
    case 0:
      return {
        ...common,
        ...place,
        transactionType: 'buy',
        assetReceived: 'USDC',
        amountReceived: '1250.123456',
      };
    case 1:
      return {
        ...common,
        transactionType: 'swap-bridge',
        assetSent: 'USDC',
        amountSent: '100.5',
        assetReceived: 'USDT',
        amountReceived: '100.499999',
      };
    case 2:
      return {
        ...common,
        ...place,
        transactionType: 'transfer-token',
        assetReceived: 'USDC',
        amountReceived: '12',
      };
    default:
      return {
        ...common,
        ...place,
        transactionType: 'sell',
        assetSent: 'USDC',
        amountSent: '0.123456',
      };
  }
}

/** As payments on a chain would have left them, although no chain runs here: two of three completed. */
async function insertRefills(
  harness: Harness,
  { userId, cardIssuerUserId }: Pick<RichUser, 'userId' | 'cardIssuerUserId'>,
): Promise<void> {
  await harness.deps.db.transaction(async (db) => {
    await db.query('alter table card_refills disable trigger user');
    await db.query(
      `insert into card_refills (card_issuer_user_id, user_id, number, amount, network, currency, due_at, created_at, updated_at,
         status, retries, error, transaction_hash, log_index, executed_at)
       select $1, $2, n, 1000 + n, 'polygon', 'USDC', now(), now() - n * interval '1 day', now(),
         case n % 3 when 0 then 'failed' else 'completed' end::card_refill_status, n % 4, 'none',
         case n % 3 when 0 then null else '0x' || encode(sha256(n::text::bytea), 'hex') end,
         case n % 3 when 0 then null else n end, case n % 3 when 0 then null else now() end
       from generate_series(1, 12) n`,
      [cardIssuerUserId, userId],
    );
    await db.query('alter table card_refills enable trigger user');
  });
}
