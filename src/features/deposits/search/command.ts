import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { decimalsOf } from '#features/ledger';
import { everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { cursorInput, cursorPage } from '#platform/commands/cursor-page';
import { closed, dateTime, nullable, pastedTransactionHash, uuid } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { listDeposits } from './list-deposits.ts';

const creditors = ['watcher', 'operator', 'another user'] as const;

const deposit = Type.Object({
  network: Type.String(),
  transactionHash: Type.String(),
  logIndex: Type.Integer(),
  blockNumber: Type.Integer(),
  confirmations: Type.Integer({ description: 'Blocks from its own to the last one that was read' }),
  userId: uuid,
  wallet: Type.String(),
  currency: Type.String(),
  amount: Type.String({ description: 'Decimal string' }),
  creditedBy: Type.Enum([...creditors], {
    description: 'Who posted the line; `another user` if an earlier line of somebody else has the transfer',
  }),
  at: nullable(dateTime, { description: 'Date of the line: the time of the block if the watcher posted it' }),
  postedAt: nullable(dateTime),
  postingId: nullable(Type.String()),
  lineNumber: nullable(Type.Integer({ description: 'Number of the line in the ledger of the user' })),
  lineKey: nullable(Type.String({ description: '`unique_hash_id` of the line in history' })),
  description: nullable(Type.String()),
});

/** A row of `deposits.list`. */
export type ListedDeposit = Static<typeof deposit>;

export const listCommand = defineCommand({
  name: 'deposits.list',
  summary: 'List credited deposits of all users, newest first. All filters must match.',
  changes: false,
  roles: everyone,
  examples: ['--network polygon --currency USDT', '--user-id 0198a6a0-0000-7000-8000-000000000001'],
  columns: ['amount', 'currency', 'network', 'userId', 'at', 'confirmations', 'transactionHash'],
  input: Type.Object(
    {
      network: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,40}$' })),
      currency: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9.]{1,20}$' })),
      userId: Type.Optional(uuid),
      transactionHash: Type.Optional(pastedTransactionHash),
      startDate: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'In blocks at or after this: ISO 8601, such as 2026-01 or 2026-01-31',
        }),
      ),
      endDate: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'In blocks at or before this; a year, a month or a day is all of it',
        }),
      ),
      ...cursorInput,
    },
    closed,
  ),
  output: cursorPage(deposit),
  run: async (ctx: Ctx, input) => {
    const { items, nextCursor } = await listDeposits(ctx, input);
    return {
      items: items.map(({ wallet, amount, postingKind, postedAt, at, ...rest }) => ({
        ...rest,
        wallet: checksumAddress(wallet),
        amount: formatMinor(amount, decimalsOf(ctx.evm, rest)),
        creditedBy: creditorOf(postingKind),
        postedAt: postedAt?.toISOString() ?? null,
        at: at?.toISOString() ?? null,
      })),
      nextCursor,
    };
  },
});

const creditorOf = (postingKind: string | null): (typeof creditors)[number] =>
  postingKind === null ? 'another user' : postingKind === 'deposit' ? 'watcher' : 'operator';
