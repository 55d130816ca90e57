import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, dateTime, line, nullable, transactionHash } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { acceptForeign } from './accept-foreign.ts';
import { acceptOutcome } from './accept-outcome.ts';
import { haltWallet } from './halt-wallet.ts';
import { rebindDeployment } from './rebind-deployment.ts';
import { recoverWallet } from './recover-wallet.ts';
import { resendFinal } from './resend-final.ts';
import { resumeWallet } from './resume-wallet.ts';
import { showActivity } from './show-activity.ts';
import { showWallets, type Wallet } from './show-wallets.ts';
import { voidSlot } from './void-slot.ts';

const wallet = Type.Object({
  network: Type.String(),
  address: Type.String(),
  isCurrent: Type.Boolean({ description: 'Workers sign with this wallet: it is the one to fund' }),
  nextNonce: Type.Integer(),
  laneDepth: Type.Integer({ description: 'Signed and not final' }),
  oldestOpenSeconds: Type.Number(),
  haltedAt: nullable(dateTime),
  haltedReason: nullable(Type.String()),
  waiting: Type.Array(Type.Object({ waitingFor: Type.String(), count: Type.Integer() }), {
    description: 'Waiting withdrawals of the network, at its first wallet only',
  }),
  onChain: nullable(
    Type.Object({
      transactionCount: Type.Integer(),
      gas: Type.String({ description: 'Native coin' }),
      payoutsLeft: nullable(Type.Integer(), { description: 'Payouts that the gas covers at current fees' }),
      tokens: Type.Array(Type.Object({ currency: Type.String(), balance: Type.String() })),
    }),
  ),
});

const walletName = {
  network: Type.String({ pattern: '^[a-z0-9-]{1,40}$' }),
  address: Type.String({ maxLength: 42 }),
};

export const walletCommands = [
  defineCommand({
    name: 'wallets.show',
    summary: 'Show the hot wallets: balances, nonces, open payouts and waiting withdrawals.',
    changes: false,
    roles: everyone,
    input: Type.Object({}, closed),
    output: Type.Object({ wallets: Type.Array(wallet) }),
    run: async (ctx: Ctx) => ({ wallets: (await showWallets(ctx)).map(present) }),
  }),
  defineCommand({
    name: 'wallets.activity',
    summary:
      'Show how many payouts became final in each of the last 24 hours, how long they took, and by hot wallet.',
    changes: false,
    roles: everyone,
    input: Type.Object({}, closed),
    output: Type.Object({
      hours: Type.Array(
        Type.Object({
          hour: dateTime,
          settled: Type.Integer(),
          medianSeconds: nullable(Type.Number(), {
            description: 'From creation to settlement: half were faster',
          }),
          p95Seconds: nullable(Type.Number(), {
            description: 'From creation to settlement: 95 of 100 were faster',
          }),
        }),
      ),
      wallets: Type.Array(
        Type.Object({ network: Type.String(), address: Type.String(), settled: Type.Integer() }),
      ),
    }),
    run: async (ctx: Ctx) => {
      const { hours, wallets } = await showActivity(ctx);
      return {
        hours: hours.map(({ hour, ...rest }) => ({ hour: hour.toISOString(), ...rest })),
        wallets: wallets.map((one) => ({ ...one, address: checksumAddress(one.address) })),
      };
    },
  }),
  defineCommand({
    name: 'wallets.halt',
    summary: 'Halt a hot wallet: nothing is signed or sent. Use it before you restore a backup.',
    changes: true,
    roles: alsoFor('treasury'),
    input: Type.Object({ ...walletName, reason: line(200) }, closed),
    output: Type.Object({ network: Type.String(), address: Type.String(), haltedReason: Type.String() }),
    run: (ctx: Ctx, input) => haltWallet(ctx, input),
  }),
  defineCommand({
    name: 'wallets.resume',
    summary: 'Resume a halted hot wallet once you know why it was halted.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    input: Type.Object(
      {
        ...walletName,
        nextNonce: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'The wallet’s transaction count on chain, if you have accounted for all transactions below it',
          }),
        ),
      },
      closed,
    ),
    output: Type.Object({ network: Type.String(), address: Type.String(), nextNonce: Type.Integer() }),
    run: async (ctx: Ctx, input) => {
      const { network, address, nextNonce } = await resumeWallet(ctx, input);
      return { network, address: checksumAddress(address), nextNonce: Number(nextNonce) };
    },
  }),
  defineCommand({
    name: 'wallets.recover',
    summary:
      'After a restore or failover: find on chain what a halted wallet paid, and resume it when all payments are known.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    examples: [
      '--network polygon --address 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed --from-block 41000000 --fill-nonces 400',
    ],
    verdict: {
      passesIf: 'unknown',
      passed: 'All payments are known. The wallet signs again, from nonce {nextNonce} on.',
      failed:
        'The wallet stays halted. Unknown payments: {unknown}. Let partners repeat their requests, then run it again, with --accept for each that remains.',
      unfinished: {
        while: 'fillBelow',
        text: 'The wallet stays halted while a worker uses up nonces. Run it again when the transaction count is {fillBelow}.',
      },
    },
    input: Type.Object(
      {
        ...walletName,
        fromBlock: Type.Integer({
          minimum: 0,
          description: 'A block mined at or before the time of the backup',
        }),
        unpaidNonces: Type.Optional(
          Type.Array(Type.Integer({ minimum: 0 }), {
            maxItems: 1_000,
            description: 'Nonces that paid nobody on chain, such as those of reverted transactions',
          }),
        ),
        accept: Type.Optional(
          Type.Array(transactionHash, {
            maxItems: 1_000,
            description: 'Transaction hashes of unknown payments that you have accounted for',
          }),
        ),
        fillNonces: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1_000,
            description:
              'Fill this many nonces first, so that lost transactions are never mined; use 400 after a failover',
          }),
        ),
      },
      closed,
    ),
    output: Type.Object({
      nextNonce: Type.Integer(),
      recovered: Type.Array(Type.String(), { description: 'Withdrawals whose payment was found' }),
      requeued: Type.Array(Type.String(), { description: 'Withdrawals that get another nonce' }),
      unknown: Type.Array(Type.Object({ hash: Type.String(), withdrawalId: nullable(Type.String()) })),
      isHalted: Type.Boolean({ description: 'True while payments are unknown or nonces are being filled' }),
      fillBelow: nullable(
        Type.Integer({
          description: 'Run the command again when the wallet’s transaction count reaches this',
        }),
      ),
    }),
    run: (ctx: Ctx, input) => recoverWallet(ctx, input),
  }),
  defineCommand({
    name: 'wallets.rebind',
    summary: 'Assign the wallets of this database to another deployment (DEPLOYMENT_ID) and halt them.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    positional: ['deploymentId'],
    examples: ['production-eu'],
    input: Type.Object({ deploymentId: line(200) }, closed),
    output: Type.Object({ deploymentId: Type.String(), former: nullable(Type.String()) }),
    run: (ctx: Ctx, input) => rebindDeployment(ctx, input),
  }),
  defineCommand({
    name: 'wallets.void',
    summary: 'Void the nonce of a signed payout that was never sent, so that the payout is signed again.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    input: Type.Object({ ...walletName, nonce: Type.Integer({ minimum: 0 }) }, closed),
    output: Type.Object({ withdrawalId: Type.String(), nonce: Type.Integer() }),
    run: (ctx: Ctx, input) => voidSlot(ctx, input),
  }),
  defineCommand({
    name: 'wallets.accept-foreign',
    summary:
      'Settle a payout whose nonce another final transaction of the wallet has used: failed, paid by it, or signed again.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    input: Type.Object({ ...walletName, transactionHash }, closed),
    output: Type.Object({ withdrawalId: Type.String(), outcome: Type.Enum(['failed', 'paid', 'requeued']) }),
    run: (ctx: Ctx, input) => acceptForeign(ctx, input),
  }),
  defineCommand({
    name: 'wallets.accept-outcome',
    summary:
      'Settle a payout whose final transaction transferred something other than was signed, such as with a fee-taking token.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    input: Type.Object(
      {
        ...walletName,
        transactionHash,
        outcome: Type.Enum(['completed', 'failed'], {
          description: 'completed if the transaction paid the recipient, failed if it did not',
        }),
      },
      closed,
    ),
    output: Type.Object({
      withdrawalId: Type.String(),
      outcome: Type.Enum(['completed', 'failed']),
      moved: Type.Array(
        Type.Object({
          to: Type.String(),
          amount: Type.String({ description: 'In the token’s smallest unit' }),
        }),
      ),
    }),
    run: async (ctx: Ctx, input) => {
      const { moved, ...accepted } = await acceptOutcome(ctx, input);
      return {
        ...accepted,
        moved: moved.map(({ to, amount }) => ({ to: checksumAddress(to), amount: String(amount) })),
      };
    },
  }),
  defineCommand({
    name: 'wallets.resend',
    summary: 'After a deep reorganisation: resend settled payouts that are no longer on chain.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    input: Type.Object(
      {
        ...walletName,
        fromNonce: Type.Integer({ minimum: 0, description: 'The nonce in the halt reason' }),
        includeFailed: Type.Optional(
          Type.Boolean({ description: 'Also resend payouts that were settled as failed and may pay now' }),
        ),
      },
      closed,
    ),
    output: Type.Object({
      sent: Type.Array(
        Type.Object({
          nonce: Type.Integer(),
          withdrawalId: Type.String(),
          transactionHash: Type.String(),
          answers: Type.Array(Type.String()),
        }),
      ),
    }),
    run: async (ctx: Ctx, input) => ({ sent: await resendFinal(ctx, input) }),
  }),
];

const gasDecimals = 18;

function present(shown: Wallet): Static<typeof wallet> {
  const { network, address, isCurrent, signer, depth, waiting, onChain } = shown;
  return {
    network,
    address: checksumAddress(address),
    isCurrent,
    nextNonce: Number(signer?.nextNonce ?? 0),
    laneDepth: Number(depth?.open ?? 0),
    oldestOpenSeconds: Math.round(depth?.oldestSeconds ?? 0),
    haltedAt: signer?.haltedAt?.toISOString() ?? null,
    haltedReason: signer?.haltedReason ?? null,
    waiting: waiting.map(({ waitingFor, count }) => ({ waitingFor, count: Number(count) })),
    onChain: onChain
      ? {
          transactionCount: onChain.transactionCount,
          gas: formatMinor(onChain.gas, gasDecimals),
          payoutsLeft: onChain.payoutsLeft === undefined ? null : Number(onChain.payoutsLeft),
          tokens: onChain.tokens.map(({ symbol, decimals, balance }) => ({
            currency: symbol,
            balance: formatMinor(balance, decimals),
          })),
        }
      : null,
  };
}
