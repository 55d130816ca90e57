import { type Static, Type } from 'typebox';
import { type Block, checksumAddress, describeFinality } from '#adapters/evm';
import type { Ctx } from '#context';
import { everyone } from '#operator-roles';
import { defineCommand } from '#platform/commands/command';
import { closed, dateTime, nullable, uuid } from '#platform/http/schemas';
import { type ExaminedNode, nodeStates, stateOf } from './examine-nodes.ts';
import { type ShownNetwork, showNodes } from './show-nodes.ts';

const block = nullable(Type.Object({ number: Type.Integer(), hash: Type.String(), at: dateTime }));

const node = Type.Object({
  node: Type.Integer({ description: 'Its place in the RPC setting, from 1' }),
  state: Type.Enum([...nodeStates], {
    description: 'away: no answer within 3 seconds, as long as workers wait; incomplete: it lacks data',
  }),
  head: block,
  blocksBehind: nullable(Type.Integer(), { description: 'Behind the newest block of the others' }),
  final: block,
  faults: Type.Array(Type.String(), { description: 'What is wrong with it, or differs from the others' }),
});

const payout = Type.Object({
  wallet: Type.String(),
  nonce: Type.Integer(),
  withdrawalId: uuid,
  signedAt: dateTime,
  isContradicted: Type.Boolean({
    description: 'Nodes contradict each other; after half an hour the wallet is halted',
  }),
  answers: Type.Array(
    Type.Object({
      node: Type.Integer(),
      outcome: Type.Enum(['success', 'reverted', 'absent', 'unknown'], {
        description: 'absent: in none of its blocks; unknown: it did not answer',
      }),
      block: nullable(Type.Integer()),
      transactionCount: Type.Integer({ description: 'Of the wallet, at the newest block of the node' }),
    }),
    { description: 'Of the nodes that answer' },
  ),
});

export const nodeCommands = [
  defineCommand({
    name: 'nodes.show',
    summary:
      'Show what each node of each network answers: its blocks, and where nodes lag or contradict each other.',
    changes: false,
    roles: everyone,
    input: Type.Object({}, closed),
    output: Type.Object({
      networks: Type.Array(
        Type.Object({
          network: Type.String(),
          quorum: Type.Integer({ description: 'How many nodes must agree before a payout is settled' }),
          agreeing: Type.Integer({ description: 'How many have the same final block' }),
          finality: Type.String({ description: 'Which block is final' }),
          nodes: Type.Array(node),
          payouts: Type.Array(payout, {
            description: 'The first payout of each wallet that is not settled: later ones wait for it',
          }),
          deposits: nullable(
            Type.Object({
              block: Type.Integer({ description: 'The last block that was read for deposits' }),
              trouble: nullable(Type.String(), { description: 'Why no block after it is read' }),
            }),
          ),
        }),
      ),
    }),
    run: async (ctx: Ctx) => ({ networks: (await showNodes(ctx)).map(present) }),
  }),
];

function present({ network, nodes, agreeing, firstInLine, deposits }: ShownNetwork) {
  const { name, node, finality } = network;
  return {
    network: name,
    quorum: node.quorum,
    agreeing,
    finality: describeFinality(finality),
    nodes: nodes.map(presentNode),
    payouts: firstInLine.map(presentPayout),
    deposits: deposits ? { block: deposits.block, trouble: deposits.trouble ?? null } : null,
  };
}

const presentNode = (one: ExaminedNode, at: number): Static<typeof node> => ({
  node: at + 1,
  state: stateOf(one),
  head: presentBlock(one.head),
  blocksBehind: one.blocksBehind ?? null,
  final: presentBlock(one.final),
  faults: one.faults.map(({ text }) => text),
});

const presentBlock = (one: Block | undefined) =>
  one ? { number: one.number, hash: one.hash, at: one.timestamp.toISOString() } : null;

const presentPayout = (one: ShownNetwork['firstInLine'][number]): Static<typeof payout> => ({
  wallet: checksumAddress(one.wallet),
  nonce: Number(one.nonce),
  withdrawalId: one.withdrawalId,
  signedAt: one.signedAt.toISOString(),
  isContradicted: one.isContradicted,
  answers: one.answers.map(({ view, receipt, isComplete }) => ({
    node: placeOf(view.name),
    outcome: receipt ? (receipt.isSuccess ? 'success' : 'reverted') : isComplete ? 'absent' : 'unknown',
    block: receipt?.blockNumber ?? null,
    transactionCount: view.latest,
  })),
});

/** Of `node 2`. */
const placeOf = (name: string) => Number(name.split(' ')[1]);
