import { type Static, Type } from 'typebox';
import { checksumAddress, describeFinality } from '#adapters/evm';
import { type Limit, type Limits, ruleDecimals } from '#features/rules';
import { commonErrors } from '#platform/errors/errors';
import { closed, dateTime, line, nullable, uuid } from '#platform/http/schemas';
import { formatMinor, parseMinor } from '#platform/values/money';
import type { Asset } from './assets.ts';
import type { WithdrawalRequest } from './create-withdrawal.ts';
import type { WithdrawalFilter } from './list-withdrawals.ts';
import type { WithdrawalRow } from './queries/withdrawals.ts';
import { statuses } from './states.ts';

/** Any text: a malformed id gets the same 404 as an unknown user. */
export const userPath = Type.Object({ userId: Type.String({ description: 'UUID' }) });

export const withdrawalBody = Type.Object(
  {
    amount: Type.String({ description: 'Decimal amount, digits with an optional fraction', maxLength: 80 }),
    to: Type.String({
      description: 'An email address, a user id (UUID), or a wallet address (`0x` and 40 hex digits)',
    }),
    currency: Type.Optional(
      Type.String({
        default: 'USDT',
        description: 'Such as `USDT`, `USDC` or `EURC`; see `GET /api/crypto/assets`',
      }),
    ),
    network: Type.Optional(
      Type.String({
        default: 'polygon',
        description: 'Such as `polygon`, `ethereum` or `base`; see `GET /api/crypto/assets`',
      }),
    ),
    externalId: Type.Optional(nullable(line(255), { description: 'Your identifier for the withdrawal' })),
  },
  closed,
);

export const limitsQuery = Type.Object({ userId: Type.Optional(uuid) }, closed);

export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({ description: 'Idempotency key: repeating a request with it returns the first answer' }),
  ),
});

export const createdWithdrawal = Type.Object({
  message: Type.String(),
  data: Type.Object({ bulkId: uuid, externalId: Type.Optional(Type.String()) }),
});

/** Parses a request. An invalid field is a 400 that names it. */
export function parseWithdrawal(
  assets: readonly Asset[],
  body: Static<typeof withdrawalBody>,
): Omit<WithdrawalRequest, 'userId' | 'idempotencyKey'> {
  const asset = findAsset(assets, body.currency ?? 'USDT', body.network ?? 'polygon');
  const externalId = body.externalId ?? undefined;
  return { asset, amount: parseAmount(asset, body.amount), to: body.to.trim(), externalId };
}

function findAsset(assets: readonly Asset[], currency: string, network: string): Asset {
  const onNetwork = assets.filter((asset) => isSameName(asset.network.name, network));
  if (onNetwork.length === 0) {
    const names = [...new Set(assets.map((asset) => asset.network.name))];
    throw invalid('network', `must be one of ${names.join(', ')}`);
  }
  const asset = onNetwork.find(({ token }) => isSameName(token.symbol, currency));
  if (asset) return asset;
  const symbols = onNetwork.map(({ token }) => token.symbol);
  throw invalid('currency', `must be one of ${symbols.join(', ')} on ${onNetwork[0]!.network.name}`);
}

/** Ignores case, in ASCII only: other letters have ASCII cases, such as the long s of `UſDT`. */
function isSameName(name: string, text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text) && text.toLowerCase() === name.toLowerCase();
}

function parseAmount({ token, minimum, maximum }: Asset, text: string): bigint {
  const { decimals, symbol } = token;
  const amount = parseMinor(text, decimals);
  if (amount === undefined) {
    throw invalid('amount', `must be digits with at most ${decimals} decimals, such as 12.5`);
  }
  if (amount === 0n) throw invalid('amount', 'must be above zero');
  if (amount < minimum)
    throw invalid('amount', `must be at least ${formatMinor(minimum, decimals)} ${symbol}`);
  if (maximum !== undefined && amount > maximum) {
    throw invalid('amount', `must be at most ${formatMinor(maximum, decimals)} ${symbol}`);
  }
  return amount;
}

/** Header `Idempotency-Key`. HTTP joins two of them as `a, b`: without spaces, that is refused. */
export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw invalid('Idempotency-Key', 'must have 1 to 255 ASCII letters, digits or signs, without spaces');
  }
  return header;
}

export const listQuery = Type.Object(
  {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })),
    perPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
    bulkId: Type.Optional(uuid),
    transactionHash: Type.Optional(Type.String({ maxLength: 255, description: 'In any case' })),
    status: Type.Optional(Type.Enum([...statuses])),
    externalId: Type.Optional(Type.String({ maxLength: 255 })),
  },
  closed,
);

export function parseListQuery(query: Static<typeof listQuery>): WithdrawalFilter {
  const { page = 1, perPage = 20, bulkId, transactionHash, status, externalId } = query;
  return {
    limit: perPage,
    offset: (page - 1) * perPage,
    bulkId: bulkId?.toLowerCase(),
    transactionHash: transactionHash?.toLowerCase(),
    status,
    externalId,
  };
}

export const withdrawalEntry = Type.Object(
  {
    id: Type.String({ description: 'Id of the entry' }),
    bulkId: Type.With(uuid, { description: 'Id from the answer to the creation' }),
    status: Type.Enum([...statuses], {
      description:
        'queued: waits. pending: prepared. processing: executed on chain. completed: paid. failed: see errorMessage',
    }),
    amountToPayToken: Type.String({ description: 'Decimal amount' }),
    outCurrencyIsoCode: Type.String({ description: 'Symbol of the token' }),
    toAddress: Type.String({ description: 'Wallet address of the recipient' }),
    externalId: nullable(Type.String(), { description: 'Your identifier' }),
    transactionHash: nullable(Type.String(), { description: 'Hash of the transaction on chain' }),
    transferTokenStatus: nullable(Type.String(), {
      description:
        'Transfer on chain: signed, broadcast, mined, confirmed, reverted or replaced; null before',
    }),
    errorMessage: nullable(Type.String(), { description: 'Why the withdrawal failed' }),
    createdAt: dateTime,
    updatedAt: dateTime,
  },
  { title: 'Withdrawal' },
);

export const withdrawalPage = Type.Object({
  message: Type.String(),
  data: Type.Object({
    withdraws: Type.Array(withdrawalEntry),
    pageInfo: Type.Object({ limit: Type.Integer(), offset: Type.Integer() }),
  }),
});

export function presentWithdrawal(row: WithdrawalRow): Static<typeof withdrawalEntry> {
  return {
    id: row.id,
    bulkId: row.bulkId,
    status: row.status,
    amountToPayToken: formatMinor(row.amount, row.decimals),
    outCurrencyIsoCode: row.currency,
    toAddress: checksumAddress(row.toAddress),
    externalId: row.externalId,
    transactionHash: row.transactionHash,
    transferTokenStatus: row.transferStatus,
    errorMessage: row.errorMessage,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

export const assetList = Type.Object({
  message: Type.String(),
  data: Type.Object({
    assets: Type.Array(
      Type.Object(
        {
          currency: Type.String(),
          network: Type.String(),
          contractAddress: Type.String({ description: 'Address of the token contract' }),
          decimals: Type.Integer({ description: 'How many decimals an amount may have' }),
          minimum: Type.String({ description: 'Smallest amount of a withdrawal' }),
          maximum: nullable(Type.String(), { description: 'Largest amount; null if there is no limit' }),
          finality: Type.String({ description: 'When a payment counts as final' }),
          remaining: nullable(Type.String(), {
            description:
              'What the limits of your account leave now; null if no limit applies. See /api/limits',
          }),
          remainingGrowsAt: nullable(dateTime, {
            description: 'When it grows next; null if nothing was paid',
          }),
        },
        { title: 'Asset' },
      ),
    ),
  }),
});

export const limitList = Type.Object({
  message: Type.String(),
  data: Type.Object({
    hasRules: Type.Boolean({ description: 'Without rules, only balances limit what is paid' }),
    limits: Type.Array(
      Type.Object(
        {
          rule: Type.String({ description: 'The name of the rule' }),
          beyond: Type.Enum(['denied', 'approval'], {
            description: 'What happens to a payment that exceeds what remains',
          }),
          currency: Type.String(),
          network: nullable(Type.String(), { description: 'Null: on all networks together' }),
          per: Type.String({
            description: 'Whose payments are summed: partner, user, key, network, everything',
          }),
          window: Type.String({ description: 'The time that ends with a payment: hour, day or 30 days' }),
          limit: Type.String(),
          used: nullable(Type.String(), {
            description:
              'Paid or to be paid in the window, without failed withdrawals; null if other partners share the limit',
          }),
          remaining: nullable(Type.String(), { description: 'Null if other partners share the limit' }),
          growsAt: nullable(dateTime, { description: 'When the oldest payment leaves the window' }),
          destinations: nullable(Type.Array(Type.String()), {
            description: 'Only payments to these: book, user, paid-before, first-time; null: to all',
          }),
        },
        { title: 'Limit' },
      ),
    ),
  }),
});

/** The least that a limit on every payment of an asset leaves. */
function leastOf({ limits }: Limits, { network, token }: Asset): Limit | undefined {
  const minor = ({ remaining }: Limit) => parseMinor(remaining!, ruleDecimals)!;
  return limits
    .filter((one) => one.beyond === 'denied' && one.destinations === null && one.remaining !== null)
    .filter((one) => one.currency === token.symbol && (one.network === null || one.network === network.name))
    .reduce<Limit | undefined>(
      (least, one) => (least && minor(least) <= minor(one) ? least : one),
      undefined,
    );
}

export function presentAssets(assets: readonly Asset[], limits: Limits): Static<typeof assetList> {
  return {
    message: 'Assets that can be withdrawn',
    data: {
      assets: assets.map((asset) => {
        const { network, token, minimum, maximum } = asset;
        const least = leastOf(limits, asset);
        return {
          currency: token.symbol,
          network: network.name,
          contractAddress: checksumAddress(token.address),
          decimals: token.decimals,
          minimum: formatMinor(minimum, token.decimals),
          maximum: maximum === undefined ? null : formatMinor(maximum, token.decimals),
          finality: describeFinality(network.finality),
          remaining: least?.remaining ?? null,
          remainingGrowsAt: least?.growsAt ?? null,
        };
      }),
    },
  };
}

function invalid(field: string, message: string) {
  return commonErrors.invalidRequest({ message: `${field} ${message}`, details: [{ field, message }] });
}
