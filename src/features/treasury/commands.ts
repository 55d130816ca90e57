import { Type } from 'typebox';
import type { Ctx } from '#context';
import { alsoFor, everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, line, nullable, pastedTransactionHash, uuid } from '#platform/http/schemas';
import { formatMinor } from '#platform/values/money';
import { acceptShortfall } from './accept-shortfall.ts';
import { type NetworkReport, type Reconciled, reconcile } from './reconcile.ts';
import { reopen } from './reopen.ts';
import type { AssetReport } from './report-assets.ts';
import { showTreasury } from './show-treasury.ts';
import { findTransaction } from './transaction/find-transaction.ts';
import { kinds } from './transaction/queries.ts';
import { lastComparison } from './wire.ts';

const network = Type.String({ pattern: '^[a-z0-9-]{1,40}$' });

const row = Type.Object({
  network: Type.String(),
  currency: Type.String({ description: 'gas is the network’s native coin' }),
  what: Type.String(),
  amount: Type.String({ description: 'Decimal string' }),
  count: nullable(Type.Integer()),
  examples: Type.Array(Type.String({ description: 'transactionHash:logIndex' })),
});

export const treasuryCommands = [
  defineCommand({
    name: 'treasury.reconcile',
    summary: 'Compare what we hold on chain with what we owe in the ledger, and explain each difference.',
    changes: true,
    roles: alsoFor('treasury'),
    columns: ['network', 'currency', 'what', 'amount', 'count'],
    verdict: {
      passesIf: 'isExplained',
      passed: 'Every difference is explained.',
      failed: 'Something is unexplained, short or not compared: see "The treasury" in docs/operating.md.',
    },
    input: Type.Object({ network: Type.Optional(network) }, closed),
    output: Type.Object({
      items: Type.Array(row),
      refused: Type.Array(Type.Object({ network: Type.String(), error: Type.String() }), {
        description: 'Networks that were not compared, with the reason',
      }),
      isExplained: Type.Boolean({
        description: 'Every network was compared, nothing is unexplained, and there is no shortfall',
      }),
    }),
    run: async (ctx: Ctx, input) => {
      const { reports, refused } = await reconcile(ctx, input);
      const assets = reports.flatMap((report) => report.assets);
      const isExplained = assets.every(
        ({ unexplained, shortfall }) => unexplained === 0n && shortfall === 0n,
      );
      return {
        items: [...reports.flatMap(present), ...refused.map(presentRefused)],
        refused: refused.map(({ network, refusal }) => ({ network, error: refusal.message })),
        isExplained: isExplained && refused.length === 0,
      };
    },
  }),
  defineCommand({
    name: 'treasury.show',
    summary: 'Show what the last comparison of chain and ledger found, without a new one.',
    changes: false,
    roles: everyone,
    columns: ['network', 'currency', 'chain', 'owed', 'difference', 'unexplained', 'shortfall', 'since'],
    input: Type.Object({}, closed),
    output: lastComparison,
    run: (ctx: Ctx) => showTreasury(ctx),
  }),
  defineCommand({
    name: 'treasury.find-transaction',
    summary: 'Find what is stored about a transaction hash: payouts, fillers, deposits, transfers and lines.',
    changes: false,
    roles: everyone,
    positional: ['transactionHash'],
    columns: ['kind', 'network', 'amount', 'currency', 'userId', 'withdrawalId', 'wallet', 'nonce', 'note'],
    input: Type.Object({ transactionHash: pastedTransactionHash }, closed),
    output: Type.Object({
      items: Type.Array(
        Type.Object({
          kind: Type.Enum([...kinds], {
            description:
              'given up payout: it can pay no more. filler: it pays nobody. transfer and ledger line: as the comparison of chain and ledger has it, for a day at least while they differ',
          }),
          network: Type.String(),
          currency: nullable(Type.String()),
          amount: nullable(Type.String({ description: 'Decimal string' })),
          userId: nullable(uuid),
          withdrawalId: nullable(uuid),
          wallet: nullable(Type.String({ description: 'The hot wallet that sent it, or who received it' })),
          nonce: nullable(Type.Integer()),
          note: nullable(Type.String({ description: 'Why chain and ledger differ by it' })),
        }),
      ),
    }),
    run: async (ctx: Ctx, input) => ({ items: await findTransaction(ctx, input) }),
  }),
  defineCommand({
    name: 'treasury.accept',
    summary: 'Accept a shortfall that treasury reconcile shows, once you know its cause.',
    changes: true,
    roles: alsoFor('treasury'),
    stepUp: true,
    input: Type.Object(
      {
        network,
        currency: Type.String({ minLength: 1, maxLength: 20 }),
        amount: Type.String({ maxLength: 80, description: 'The exact shortfall, such as 12.5' }),
        reason: line(200),
      },
      closed,
    ),
    output: Type.Object({
      network: Type.String(),
      currency: Type.String(),
      amount: Type.String(),
      reason: Type.String(),
    }),
    run: (ctx: Ctx, input) => acceptShortfall(ctx, input),
  }),
  defineCommand({
    name: 'treasury.reopen',
    summary:
      'Start the comparison of a network from scratch, such as after a reorganisation below final blocks.',
    changes: true,
    roles: alsoFor('treasury'),
    input: Type.Object({ network, reason: line(200) }, closed),
    output: Type.Object({ network: Type.String(), reason: Type.String() }),
    run: (ctx: Ctx, input) => reopen(ctx, input),
  }),
];

/** One line each, so that a terminal shows it as one table. */
function present({ network, block, isCounting, gas, gasChange, sent, assets }: NetworkReport) {
  const ofGas = (what: string, amount: string, count: number | null = null) => ({
    network,
    currency: 'gas',
    what,
    amount,
    count,
    examples: [],
  });
  return [
    ...assets.flatMap((asset) => presentAsset(network, asset)),
    ofGas(`hot wallets at block ${block}`, formatMinor(gas, 18)),
    ofGas('change since the opening, transactions sent', formatMinor(gasChange, 18), Number(sent)),
    ...(isCounting ? [ofGas('wallets are still to be counted: repeat', '')] : []),
  ];
}

const presentRefused = ({ network, refusal }: Reconciled['refused'][number]) => ({
  network,
  currency: '',
  what: `NOT COMPARED: ${refusal.message}`,
  amount: '',
  count: null,
  examples: [],
});

function presentAsset(network: string, asset: AssetReport) {
  const { currency, decimals, chain, owed, explanations, unexplained, shortfall } = asset;
  const rowOf = (what: string, amount: bigint, count: number | null = null, examples: string[] = []) => ({
    network,
    currency,
    what,
    amount: formatMinor(amount, decimals),
    count,
    examples,
  });
  return [
    rowOf('held on chain', chain),
    rowOf('owed to users', owed),
    rowOf('difference', chain - owed),
    ...explanations.map(({ name, amount, count, examples }) =>
      rowOf(`- ${name}`, amount, count || null, examples),
    ),
    rowOf('unexplained', unexplained),
    ...(shortfall > 0n ? [rowOf('SHORTFALL', shortfall)] : []),
  ];
}
