import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IssuedKey } from '#features/keys';
import { makeKey, makeUser } from '#test/data/factories';
import type { Harness } from '../harness.ts';

/** A line as the operator posts it. */
type Line = Record<'transactionType' | 'network' | 'transactionDate' | 'description', string> &
  Record<string, string>;

export interface AskedAccount extends IssuedKey {
  lines: Line[];
  /** Of the salary of March. */
  hash: string;
}

const months = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'];

/**
 * An account that questions are asked about, made by operator commands only: ten months with 45 lines each,
 * unsettled records, positions of which some are stale, and four cards with payments.
 */
export async function makeAskedAccount(harness: Harness): Promise<AskedAccount> {
  const operate = async (command: string, input: object) => {
    const { status, body } = await harness.operator(command, input);
    assert.equal(status, 200, `${command}: ${JSON.stringify(body)}`);
    return body.data;
  };
  const key = await makeKey(harness, { scopes: ['mcp'] });
  const { userId } = key;
  const friend = await makeUser(harness, { email: 'bruno.lima@example.com' });
  const lines = [opening, ...months.flatMap(tellMonth)];
  const friends = lines
    .filter(({ transactionType }) => transactionType === 'transfer-token')
    .map(({ assetSent, amountSent, ...line }) => ({
      ...line,
      assetReceived: assetSent,
      amountReceived: amountSent,
      userId: friend.id,
    }));
  await operate('ledger.post', {
    key: 'ten months',
    lines: [...lines.map((line) => ({ ...line, ...placeOf(line), userId })), ...friends],
  });
  await recordUnsettled(operate, userId);
  await operate('prices.refresh', {});
  const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000).toISOString();
  await operate('positions.record', {
    userId,
    asOf: twoDaysAgo,
    positions: [
      { kind: 'staked', token: 'ETH', network: 'ethereum', amount: '2' },
      { kind: 'tokenized', token: 'ACME', network: 'solana', amount: '10' },
    ],
  });
  await makeCards(operate, userId);
  return { ...key, lines, hash: hashOf('2026-03 salary') };
}

type Operate = (command: string, input: object) => Promise<Record<string, never>>;

const opening: Line = {
  id: 'opening',
  transactionType: 'buy',
  network: 'polygon',
  assetReceived: 'USDC',
  amountReceived: '5000',
  transactionDate: '2026-01-01T08:00:00.000Z',
  description: 'Opening deposit',
};

const hashOf = (name: string) => `0x${createHash('sha256').update(name).digest('hex')}`;
const placeOf = ({ description, transactionDate }: Line) =>
  description.startsWith('Salary')
    ? { transactionHash: hashOf(`${transactionDate.slice(0, 7)} salary`), logIndex: 1 }
    : {};

function tellMonth(month: string): Line[] {
  const lines: Line[] = [];
  const add = (day: number, id: string, fields: Omit<Line, 'transactionDate'>) =>
    lines.push({
      ...fields,
      id: `${id} of ${month}`,
      transactionDate: `2026-${month}-${String(day).padStart(2, '0')}T12:00:00.000Z`,
    } as unknown as Line);
  const usdc = (amount: string) => ({ network: 'polygon', assetSent: 'USDC', amountSent: amount });
  add(2, 'salary', {
    transactionType: 'buy',
    network: 'polygon',
    assetReceived: 'USDC',
    amountReceived: '2500',
    description: 'Salary, Oficina Norte',
  });
  add(3, 'rent', { transactionType: 'sell', ...usdc('900'), description: 'Rent, Rua Augusta' });
  for (let n = 0; n < 20; n++) {
    const description = 'Padaria São João';
    add(n + 4, `bread ${n}`, { transactionType: 'sell', ...usdc(`${2 + (n % 3)}.15`), description });
  }
  for (let n = 0; n < 10; n++) {
    const description = 'Mercado Municipal';
    add(n * 2 + 4, `food ${n}`, { transactionType: 'sell', ...usdc(`${18 + n}.5`), description });
  }
  for (let n = 0; n < 2; n++) {
    const id = `bridge ${n}`;
    const common = { transactionType: 'swap-bridge', description: 'Bridge to base' };
    add(5 + n, id, { ...common, ...usdc('300') });
    add(5 + n, id, { ...common, network: 'base', assetReceived: 'USDC', amountReceived: '299.4' });
  }
  for (let n = 0; n < 4; n++) {
    add(8 + n, `swap ${n}`, {
      transactionType: 'swap-bridge',
      network: 'base',
      assetSent: 'USDC',
      amountSent: '50',
      assetReceived: 'EURC',
      amountReceived: '46.25',
      description: 'USDC to EURC',
    });
  }
  add(20, 'hotel', {
    transactionType: 'sell',
    network: 'base',
    assetSent: 'EURC',
    amountSent: '30',
    description: 'Hotel Lisboa',
  });
  for (let n = 0; n < 2; n++) {
    add(21 + n, `dinner ${n}`, { transactionType: 'transfer-token', ...usdc('25'), description: 'Dinner' });
  }
  for (let n = 0; n < 2; n++) {
    add(24 + n, `work ${n}`, {
      transactionType: 'buy',
      network: 'ethereum',
      assetReceived: 'USDC',
      amountReceived: '120',
      description: 'Logo design',
    });
  }
  return lines;
}

async function recordUnsettled(operate: Operate, userId: string): Promise<void> {
  const record = (id: string, fields: object, amount: string) =>
    operate('ledger.record-unsettled', {
      userId,
      id,
      transactionType: 'buy',
      transactionDate: '2026-10-28T12:00:00.000Z',
      legs: [{ network: 'polygon', assetReceived: 'USDC', amountReceived: amount }],
      ...fields,
    });
  await record('wire', { status: 'pending', description: 'Bank transfer' }, '640');
  await record('check', { status: 'in-analysis', description: 'Deposit from an exchange' }, '75.5');
  const statusReason = 'The sender’s name is not yours';
  await record('refused', { status: 'rejected', statusReason, description: 'Wire from a friend' }, '90');
}

async function makeCards(operate: Operate, userId: string): Promise<void> {
  const names = ['Everyday', 'Travel', 'Old', 'Lost one'];
  const { cards } = (await operate('cards.create', {
    userId,
    cards: names.map((nickname) => ({ nickname, spendingLimit: '400', spendingInterval: 'monthly' })),
  })) as unknown as { cards: { id: string; cardIssuerUserId: string }[] };
  const [everyday, travel, old, lost] = cards.map(({ id }) => id);
  const { cardIssuerUserId } = cards[0]!;
  for (const cardId of [everyday, travel, old, lost]) {
    await operate('cards.update', { cardId, status: 'active' });
  }
  await operate('cards.simulate-collateral-deposit', { cardIssuerUserId, amount: '1000' });
  const pay = async (cardId: string | undefined, merchantName: string, amount: string, isSettled = true) => {
    const done = await operate('cards.simulate-authorization', { cardId, merchantName, amount });
    const { transaction } = done as unknown as { transaction: { id: string } };
    if (isSettled) await operate('cards.simulate-settlement', { transactionId: transaction.id });
    return transaction.id;
  };
  for (let n = 0; n < 12; n++) await pay(everyday, 'Café Central', `${3 + (n % 4)}.25`);
  await pay(travel, 'Grand Hotel Atlântico', '180');
  await pay(travel, 'Grand Hotel Atlântico', '45.5', false);
  await pay(old, 'Livraria', '20');
  const refunded = await pay(everyday, 'Shoes & Co', '59.9');
  await operate('cards.simulate-refund', { transactionId: refunded });
  const decline = { cardId: travel, amount: '5000', merchantName: 'Watches' };
  await operate('cards.simulate-decline', { ...decline, declineReason: 'Above the limit of the card' });
  await operate('cards.update', { cardId: old, status: 'canceled', reason: 'Replaced' });
  await operate('cards.update', { cardId: lost, status: 'locked', reason: 'Lost in the metro' });
  await operate('cards.configure-refill', {
    cardIssuerUserId,
    threshold: '150.00',
    amount: '200.00',
    network: 'polygon',
    currency: 'USDC',
    enabled: true,
  });
}
