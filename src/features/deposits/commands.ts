import { Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { decimalsOf } from '#features/ledger';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { checkDeposits } from './check-deposits.ts';
import { rescanDeposits } from './rescan-deposits.ts';
import { resumeDeposits } from './resume-deposits.ts';
import { listCommand } from './search/command.ts';
import { showDeposits } from './show-deposits.ts';

const network = Type.String({ pattern: '^[a-z0-9-]{1,40}$' });
const block = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const moved = Type.Object({ network: Type.String(), nextBlock: Type.Integer() });

export const depositCommands = [
  defineCommand({
    name: 'deposits.show',
    summary: 'Show the last block read for deposits on each network, and whether deposits are halted.',
    changes: false,
    roles: everyone,
    input: Type.Object({}, closed),
    output: Type.Object({
      networks: Type.Array(
        Type.Object({
          network: Type.String(),
          nextBlock: Type.Integer({ description: 'The first block that is not read yet' }),
          lastBlockAt: nullable(dateTime),
          finalBlock: nullable(Type.Integer({ description: 'As reported by a node' })),
          blocksBehind: nullable(Type.Integer()),
          posted: Type.Integer({ description: 'Deposits posted' }),
          ignored: Type.Integer({ description: 'Transfers below DEPOSIT_MINIMUMS' }),
          haltedAt: nullable(dateTime),
          haltedReason: nullable(Type.String()),
        }),
      ),
    }),
    run: async (ctx: Ctx) => ({
      networks: (await showDeposits(ctx)).map((watched) => {
        const { network, nextBlock, lastBlockAt, finalBlock, posted, ignored, haltedAt, haltedReason } =
          watched;
        return {
          network,
          nextBlock,
          posted,
          ignored,
          haltedReason,
          lastBlockAt: lastBlockAt?.toISOString() ?? null,
          finalBlock: finalBlock ?? null,
          blocksBehind: finalBlock === undefined ? null : Math.max(finalBlock + 1 - nextBlock, 0),
          haltedAt: haltedAt?.toISOString() ?? null,
        };
      }),
    }),
  }),
  listCommand,
  defineCommand({
    name: 'deposits.check',
    summary: 'Compare posted deposits from a block on with the chain, such as after a reorganisation.',
    changes: false,
    roles: alsoFor('treasury'),
    verdict: {
      passesIf: 'missing',
      passed: 'The chain has every posted deposit from that block on. Checked: {checked} deposits.',
      failed:
        'The chain does NOT have every posted deposit: correct the missing ones. Checked: {checked} deposits.',
    },
    parts: { input: 'fromBlock', output: 'nextBlock' },
    input: Type.Object({ network, fromBlock: block }, closed),
    output: Type.Object({
      checked: Type.Integer(),
      missing: Type.Array(
        Type.Object({
          transactionHash: Type.String(),
          logIndex: Type.Integer(),
          blockNumber: Type.Integer(),
          userId: uuid,
          wallet: Type.String(),
          currency: Type.String(),
          amount: Type.String({ description: 'Decimal string' }),
        }),
      ),
      nextBlock: nullable(Type.Integer({ description: 'Where to continue, if there is more' })),
    }),
    run: async (ctx: Ctx, input) => {
      const { missing, ...rest } = await checkDeposits(ctx, input);
      return {
        ...rest,
        missing: missing.map(({ wallet, currency, amount, ...facts }) => ({
          ...facts,
          wallet: checksumAddress(wallet),
          currency,
          amount: formatMinor(amount, decimalsOf(ctx.evm, { network: input.network, currency })),
        })),
      };
    },
  }),
  defineCommand({
    name: 'deposits.resume',
    summary: 'Resume deposits of a halted network, after you compared posted deposits with the chain.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    input: Type.Object({ network }, closed),
    output: moved,
    run: (ctx: Ctx, input) => resumeDeposits(ctx, input),
  }),
  defineCommand({
    name: 'deposits.rescan',
    summary: 'Read blocks again to find missed deposits; posted deposits are not posted twice.',
    changes: true,
    roles: alsoFor('treasury'),
    input: Type.Object({ network, fromBlock: block }, closed),
    output: moved,
    outlook: {
      done: 'A worker reads on from block {nextBlock}: causeway deposits show says how far it is.',
    },
    run: (ctx: Ctx, input) => rescanDeposits(ctx, input),
  }),
];
