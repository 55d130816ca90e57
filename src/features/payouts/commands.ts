import { type Static, Type } from 'typebox';
import { checksumAddress } from '#adapters/evm';
import type { Ctx } from '#context';
import { defineCommand } from '#platform/commands/command';
import { dateTime, line, nullable } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { acceptForeign } from './accept-foreign.ts';
import { acceptOutcome } from './accept-outcome.ts';
import { haltWallet } from './halt-wallet.ts';
import { rebindDeployment } from './rebind-deployment.ts';
import { recoverWallet } from './recover-wallet.ts';
import { resendFinal } from './resend-final.ts';
import { resumeWallet } from './resume-wallet.ts';
import { showWallets, type Wallet } from './show-wallets.ts';
import { voidSlot } from './void-slot.ts';

const wallet = Type.Object({
  network: Type.String(),
  address: Type.String(),
  nextNonce: Type.Integer(),
  laneDepth: Type.Integer({ description: 'Signed and not final' }),
  oldestOpenSeconds: Type.Number(),
  haltedAt: nullable(dateTime),
  haltedReason: nullable(Type.String()),
  waiting: Type.Array(Type.Object({ waitingFor: Type.String(), count: Type.Integer() })),
  onChain: nullable(
    Type.Object({
      transactionCount: Type.Integer(),
      gas: Type.String({ description: 'Native coin' }),
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
    summary: 'Show the hot wallets: balances, nonces, how much is open and what waits.',
    changes: false,
    input: Type.Object({}, { additionalProperties: false }),
    output: Type.Object({ wallets: Type.Array(wallet) }),
    run: async (ctx: Ctx) => ({ wallets: (await showWallets(ctx)).map(present) }),
  }),
  defineCommand({
    name: 'wallets.halt',
    summary:
      'Stop a hot wallet from signing and sending, such as before a restore from a backup is put to use.',
    changes: true,
    input: Type.Object({ ...walletName, reason: line(200) }, { additionalProperties: false }),
    output: Type.Object({ network: Type.String(), address: Type.String(), haltedReason: Type.String() }),
    run: (ctx: Ctx, input) => haltWallet(ctx, input),
  }),
  defineCommand({
    name: 'wallets.resume',
    summary: 'Let a halted hot wallet pay again, once it is known why it was halted.',
    changes: true,
    input: Type.Object(
      {
        ...walletName,
        nextNonce: Type.Optional(
          Type.Integer({
            minimum: 0,
            description: 'The chain’s count, where all transactions up to it are accounted for',
          }),
        ),
      },
      { additionalProperties: false },
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
      'After a restore or a failover: find on chain what a halted wallet has paid, and let it pay again once all is known.',
    changes: true,
    input: Type.Object(
      {
        ...walletName,
        fromBlock: Type.Integer({ minimum: 0, description: 'A block of the time of the backup, or before' }),
        unpaidNonces: Type.Optional(
          Type.Array(Type.Integer({ minimum: 0 }), {
            maxItems: 1_000,
            description: 'Nonces seen on chain to have paid nobody, such as of reverted transactions',
          }),
        ),
        accept: Type.Optional(
          Type.Array(Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }), {
            maxItems: 1_000,
            description: 'Transaction hashes of unknown payments that you have accounted for',
          }),
        ),
        fillNonces: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 1_000,
            description:
              'First use up this many nonces, so that lost transactions are never mined; 400 after a change of the server',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Object({
      nextNonce: Type.Integer(),
      recovered: Type.Array(Type.String(), { description: 'Withdrawals whose payment was found' }),
      requeued: Type.Array(Type.String(), { description: 'Withdrawals that get another nonce' }),
      unknown: Type.Array(Type.Object({ hash: Type.String(), withdrawalId: nullable(Type.String()) })),
      isHalted: Type.Boolean({ description: 'True while payments are unknown or nonces are filled' }),
      fillBelow: nullable(
        Type.Integer({ description: 'Run it again when the wallet has sent this many transactions' }),
      ),
    }),
    run: (ctx: Ctx, input) => recoverWallet(ctx, input),
  }),
  defineCommand({
    name: 'wallets.rebind',
    summary: 'Give the wallets of this database to another deployment, by its DEPLOYMENT_ID, and halt them.',
    changes: true,
    input: Type.Object({ deploymentId: line(200) }, { additionalProperties: false }),
    output: Type.Object({ deploymentId: Type.String(), former: nullable(Type.String()) }),
    run: (ctx: Ctx, input) => rebindDeployment(ctx, input),
  }),
  defineCommand({
    name: 'wallets.void',
    summary: 'Take a signed payout that was never sent off its nonce, so that it is signed again.',
    changes: true,
    input: Type.Object(
      { ...walletName, nonce: Type.Integer({ minimum: 0 }) },
      { additionalProperties: false },
    ),
    output: Type.Object({ withdrawalId: Type.String(), nonce: Type.Integer() }),
    run: (ctx: Ctx, input) => voidSlot(ctx, input),
  }),
  defineCommand({
    name: 'wallets.accept-foreign',
    summary:
      'Settle a payout whose nonce another final transaction of the wallet has used: failed, paid by it, or signed again.',
    changes: true,
    input: Type.Object(
      { ...walletName, transactionHash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }) },
      { additionalProperties: false },
    ),
    output: Type.Object({ withdrawalId: Type.String(), outcome: Type.Enum(['failed', 'paid', 'requeued']) }),
    run: (ctx: Ctx, input) => acceptForeign(ctx, input),
  }),
  defineCommand({
    name: 'wallets.accept-outcome',
    summary:
      'Settle a payout whose own final transaction moved something else than was signed, such as a token that takes a fee.',
    changes: true,
    input: Type.Object(
      {
        ...walletName,
        transactionHash: Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' }),
        outcome: Type.Enum(['completed', 'failed'], {
          description: 'completed if the transaction paid the recipient, failed if it did not',
        }),
      },
      { additionalProperties: false },
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
    summary:
      'After a deep reorganisation: send the stored bytes of settled payouts that are gone from the chain.',
    changes: true,
    input: Type.Object(
      {
        ...walletName,
        fromNonce: Type.Integer({ minimum: 0, description: 'As the reason of the halt names it' }),
        includeFailed: Type.Optional(
          Type.Boolean({ description: 'Also send what was settled as failed and may pay now' }),
        ),
      },
      { additionalProperties: false },
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

function present({ signer, depth, waiting, onChain }: Wallet): Static<typeof wallet> {
  return {
    network: signer.network,
    address: checksumAddress(signer.address),
    nextNonce: Number(signer.nextNonce),
    laneDepth: Number(depth.open),
    oldestOpenSeconds: Math.round(depth.oldestSeconds),
    haltedAt: signer.haltedAt?.toISOString() ?? null,
    haltedReason: signer.haltedReason,
    waiting: waiting.map(({ waitingFor, count }) => ({ waitingFor, count: Number(count) })),
    onChain: onChain
      ? {
          transactionCount: onChain.transactionCount,
          gas: formatMinor(onChain.gas, gasDecimals),
          tokens: onChain.tokens.map(({ symbol, decimals, balance }) => ({
            currency: symbol,
            balance: formatMinor(balance, decimals),
          })),
        }
      : null,
  };
}
