import type { Ctx } from '#context';
import { blockAddress } from '#features/users';
import { createWithdrawal, listAssets } from '#features/withdrawals';
import { parseMinor } from '#platform/values/money';
import type { SandboxFile } from '../sandbox-file.ts';
import { partnerIds } from './partners.ts';
import { demoUsers } from './people.ts';
import { createRandom } from './random.ts';
import { minuteMs } from './time.ts';

interface Payment {
  partner: keyof typeof partnerIds;
  network: string;
  currency: string;
  amount: string;
  to: string;
  externalId: string;
}

/** Blocked after the withdrawal to it was created. */
const blockedLater = `0x${'b10c'.repeat(10)}`;

const ended: Record<keyof SandboxFile['withdrawals'], Payment> = {
  completed: {
    partner: 'main',
    network: 'polygon',
    currency: 'USDC',
    amount: '25',
    to: demoUsers.friend.email,
    externalId: 'demo-completed',
  },
  insufficientBalance: {
    partner: 'main',
    network: 'base',
    currency: 'EURC',
    amount: '9000000',
    to: demoUsers.friend.email,
    externalId: 'demo-insufficient-balance',
  },
  receiverBlocked: {
    partner: 'main',
    network: 'ethereum',
    currency: 'USDT',
    amount: '310.75',
    to: blockedLater,
    externalId: 'demo-receiver-blocked',
  },
  /** Its key is suspended. */
  waiting: {
    partner: 'other',
    network: 'polygon',
    currency: 'USDT',
    amount: '48.2',
    to: demoUsers.stranger.email,
    externalId: 'demo-waiting',
  },
};

const payroll = 32;

/** A payroll of Ana's, on every network: each becomes a transaction on a devnet within seconds. */
function listPayroll(): Payment[] {
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
      partner: at % 4 === 3 ? 'other' : 'main',
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
  const payments = listPayroll();
  for (const [at, payment] of payments.entries()) {
    await queue(ctx, keys, payment, payments.length - at + 5);
  }
  const bulkIds: Partial<SandboxFile['withdrawals']> = {};
  for (const [name, payment] of Object.entries(ended) as [keyof typeof ended, Payment][]) {
    bulkIds[name] = await queue(ctx, keys, payment, 4);
  }
  await blockAddress(ctx, { address: blockedLater, reason: 'Reported after the payment was requested' });
  return bulkIds as SandboxFile['withdrawals'];
}

async function queue(
  ctx: Ctx,
  keys: SandboxFile['keys'],
  { partner, network, currency, amount, to, externalId }: Payment,
  minutesAgo: number,
): Promise<string> {
  const asset = listAssets(ctx.evm, []).find(
    (asset) => asset.network.name === network && asset.token.symbol === currency,
  )!;
  const isWaiting = externalId === ended.waiting.externalId;
  const { id: keyId, scopes } = keys[isWaiting ? 'suspended' : partner === 'main' ? 'full' : 'otherPartner'];
  const userId = demoUsers.owner.id;
  const { bulkId } = await createWithdrawal(
    {
      ...ctx,
      now: new Date(ctx.now.getTime() - minutesAgo * minuteMs),
      actor: { kind: 'key', keyId, partnerId: partnerIds[partner], userId, scopes },
    },
    {
      userId,
      asset,
      amount: parseMinor(amount, asset.token.decimals)!,
      to,
      externalId,
      idempotencyKey: `demo ${externalId}`,
    },
  );
  return bulkId;
}
