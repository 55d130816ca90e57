import type { Db } from '#platform/db/db';
import { compare, type Report } from './faults.ts';
import { type ListRow, noPlace, type Place } from './queries/lists.ts';
import {
  type NodeRow,
  selectNodePart,
  selectStrangeLevels,
  selectWrongKinds,
  selectWrongSums,
} from './queries/nodes.ts';
import type { Sizes } from './sizes.ts';

const levels = [0, 1, 2] as const;

/** Recounts all nodes of a list, level by level, and checks the sums of a ledger's nodes. */
export async function checkNodes(
  db: Db,
  list: ListRow,
  userId: string,
  { nodesAtOnce }: Sizes,
  report: Report,
): Promise<void> {
  const what = list.isSettled ? 'ledger' : 'unsettled records';
  const tail = { at: list.tailAt, number: list.tailNumber };
  for (const level of levels) {
    let end: Place = { at: '-infinity', number: 0n };
    let from = noPlace;
    for (let isMore = true; isMore; ) {
      const nodes = await selectNodePart(db, list.id, level, from, nodesAtOnce);
      for (const node of nodes) {
        checkNode(node, { subject: subjectOf(what, level, startOf(node)), level, end }, report);
        end = { at: node.uptoAt, number: node.uptoNumber };
      }
      const [first, last] = [nodes[0], nodes.at(-1)];
      if (first && last) {
        if (list.isSettled) {
          await checkSums(db, list.id, userId, { level, first, last }, report);
          await checkKinds(db, list.id, level, { after: from, upto: startOf(last) }, report);
        }
        from = startOf(last);
      }
      isMore = nodes.length === nodesAtOnce;
    }
    if (list.isSettled) await checkKinds(db, list.id, level, { after: from, upto: noMore }, report);
    if (level === 0) {
      compare(report, what, 'The beginning of the tail', { expected: nameOf(end), found: nameOf(tail) });
    }
  }
  for (const { level, nodes } of await selectStrangeLevels(db, list.id)) {
    report(what, `There should be no nodes of level ${level}, and there are ${nodes}.`);
  }
}

function checkNode(
  node: NodeRow,
  { subject, level, end }: { subject: string; level: number; end: Place },
  report: Report,
): void {
  compare(report, subject, 'Its beginning, where the node before it ends,', {
    expected: nameOf(end),
    found: nameOf(startOf(node)),
  });
  const below = level === 0 ? 'lines' : 'nodes';
  compare(report, subject, `Its number of ${below}`, { expected: node.counted.size, found: node.size });
  for (const type of ['buys', 'sells', 'swaps', 'transfers'] as const) {
    compare(report, subject, `Its count of ${type}`, { expected: node.counted[type], found: node[type] });
  }
  if (level === 0) return;
  compare(report, subject, 'Its end, where the last node below it ends,', {
    expected:
      node.endsAt === null ? 'that of a node below' : nameOf({ at: node.endsAt, number: node.endsNumber! }),
    found: nameOf({ at: node.uptoAt, number: node.uptoNumber }),
  });
}

async function checkSums(
  db: Db,
  listId: bigint,
  userId: string,
  { level, first, last }: { level: number; first: NodeRow; last: NodeRow },
  report: Report,
): Promise<void> {
  const wrong = await selectWrongSums(db, { listId, userId, level }, startOf(first), startOf(last));
  for (const { accountId, expected, found, ...start } of wrong) {
    compare(report, subjectOf('ledger', level, startOf(start)), `Its sum of account ${accountId}`, {
      expected,
      found,
    });
  }
}

/** Later than any node. */
const noMore: Place = { at: 'infinity', number: 0n };

async function checkKinds(
  db: Db,
  listId: bigint,
  level: number,
  { after, upto }: { after: Place; upto: Place },
  report: Report,
): Promise<void> {
  for (const { isOfNode, ...row } of await selectWrongKinds(db, listId, level, after, upto)) {
    const fault = isOfNode
      ? 'Its stored kinds of lines are not those of its lines.'
      : `Kinds of lines up to ${nameOf({ at: row.uptoAt, number: row.uptoNumber })} belong to no node.`;
    report(subjectOf('ledger', level, startOf(row)), fault);
  }
}

const startOf = ({ firstAt, firstNumber }: Pick<NodeRow, 'firstAt' | 'firstNumber'>): Place => ({
  at: firstAt,
  number: firstNumber,
});

const nameOf = ({ at, number }: Place) => `${at} (${number})`;

export const subjectOf = (what: string, level: number, { at, number }: Place) =>
  `${what}, node of level ${level} from ${at} (${number})`;
