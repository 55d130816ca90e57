import type { Ctx } from '#context';
import { blockAddress } from '#features/users';
import type { SandboxFile } from '../sandbox-file.ts';
import { unfinishedOn } from '../unfinished-on.ts';
import { partnerIds } from './partners.ts';
import { demoUsers } from './people.ts';
import { createRandom } from './random.ts';
import { type Payment, requestWithdrawal } from './request-withdrawal.ts';
import { minuteMs } from './time.ts';

interface DemoPayment extends Payment {
  /** Which key requests it: `full` is the main partner's, the others are the other one's. */
  key: 'full' | 'otherPartner' | 'suspended';
}

/** Blocked after the withdrawal to it was created. */
const blockedLater = `0x${'b10c'.repeat(10)}`;

type Name = keyof SandboxFile['withdrawals'];

const ended: Record<Exclude<Name, keyof typeof unfinished>, DemoPayment> = {
  completed: {
    key: 'full',
    network: 'polygon',
    currency: 'USDC',
    amount: '25',
    to: demoUsers.friend.email,
    externalId: 'demo-completed',
  },
  insufficientBalance: {
    key: 'full',
    network: 'base',
    currency: 'EURC',
    amount: '9000000',
    to: demoUsers.friend.email,
    externalId: 'demo-insufficient-balance',
  },
  receiverBlocked: {
    key: 'full',
    network: 'ethereum',
    currency: 'USDT',
    amount: '310.75',
    to: blockedLater,
    externalId: 'demo-receiver-blocked',
  },
  waiting: {
    key: 'suspended',
    network: 'polygon',
    currency: 'USDT',
    amount: '48.2',
    to: demoUsers.stranger.email,
    externalId: 'demo-waiting',
  },
};

/** Requested before all others: `makeUnfinishedPayouts` signs the first two, one for each of its wallets. */
const unfinished: Record<'processing' | 'waitingForGas', DemoPayment> = {
  processing: {
    key: 'otherPartner',
    network: unfinishedOn,
    currency: 'USDC',
    amount: '64.9',
    to: demoUsers.stranger.email,
    externalId: 'demo-processing',
  },
  waitingForGas: {
    key: 'otherPartner',
    network: unfinishedOn,
    currency: 'USDC',
    amount: '120',
    to: demoUsers.stranger.email,
    externalId: 'demo-waiting-for-gas',
  },
};

const payroll = 32;

/** A payroll of Ana's, on every network: each becomes a transaction on a devnet within seconds. */
function listPayroll(): DemoPayment[] {
  const random = createRandom(7);
  const assets = [
    ['polygon', 'USDT'],
    ['polygon', 'USDC'],
    ['ethereum', 'USDC'],
    ['base', 'USDC'],
    ['base', 'EURC'],
  ] as const;
  return Array.from({ length: payroll }, (_, at) => {
    const [network, currency] = assets[at % assets.length]!;
    return {
      key: at % 4 === 3 ? 'otherPartner' : 'full',
      network,
      currency,
      amount: `${random.between(20, 400)}.${random.between(10, 99)}`,
      to: random.pick([
        demoUsers.friend.email,
        demoUsers.stranger.email,
        `0x${'5afe'.repeat(9)}${1000 + at}`,
      ]),
      externalId: `payroll-${String(at + 1).padStart(2, '0')}`,
    };
  });
}

/** The workers pay what can be paid once they have started. */
export async function queueWithdrawals(
  ctx: Ctx,
  keys: SandboxFile['keys'],
): Promise<SandboxFile['withdrawals']> {
  const bulkIds: Partial<SandboxFile['withdrawals']> = {};
  for (const [name, payment] of Object.entries(unfinished) as [keyof typeof unfinished, DemoPayment][]) {
    bulkIds[name] = await queue(ctx, keys, payment, 50);
  }
  const payments = listPayroll();
  for (const [at, payment] of payments.entries()) {
    await queue(ctx, keys, payment, payments.length - at + 5);
  }
  for (const [name, payment] of Object.entries(ended) as [keyof typeof ended, DemoPayment][]) {
    bulkIds[name] = await queue(ctx, keys, payment, 4);
  }
  await blockAddress(ctx, { address: blockedLater, reason: 'Reported after the payment was requested' });
  return bulkIds as SandboxFile['withdrawals'];
}

function queue(
  ctx: Ctx,
  keys: SandboxFile['keys'],
  { key, ...payment }: DemoPayment,
  minutesAgo: number,
): Promise<string> {
  const then = { ...ctx, now: new Date(ctx.now.getTime() - minutesAgo * minuteMs) };
  const partnerId = partnerIds[key === 'full' ? 'main' : 'other'];
  const idempotencyKey = `demo ${payment.externalId}`;
  return requestWithdrawal(then, keys[key], partnerId, { ...payment, idempotencyKey });
}
