import type { Summary } from './cell.ts';
import { busyShare, judge, nameLimit } from './limit.ts';

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Prints the curve of one kind of operation; returns how many drops CPU does not explain. */
export function printCurve(title: string, whose: string, curve: readonly Summary[]): number {
  const [ofOne] = curve;
  const header = [
    ...['processes', 'a second', 'ratio', `CPU ms: ${whose}`, 'database', 'callers'],
    ...['all', 'cores used', 'by others', 'waiting'],
  ];
  const rows = curve.map((one) => {
    const { processes, database, callers } = one.cpuMs;
    const waiting = Object.values(one.waiting).reduce((sum, share) => sum + share, 0);
    return [
      ...[String(one.processes), one.perSecond.toFixed(0), judge(one, ofOne!).ratio.toFixed(2)],
      ...[processes, database, callers, processes + database + callers].map((ms) => ms.toFixed(2)),
      (busyShare(one) * one.cores).toFixed(2),
      one.used.others.toFixed(2),
      percent(waiting),
    ];
  });
  console.log(`\n${title}\n`);
  printTable([header, ...rows]);
  for (const one of curve) console.log(`  ${one.processes}: ${explain(one, ofOne!)}`);
  return curve.filter((one) => !judge(one, ofOne!).isExplained).length;
}

function explain(one: Summary, ofOne: Summary): string {
  const { isDrop, isExplained } = judge(one, ofOne);
  const { processes, database, callers } = one.cpuMs;
  const product = (one.perSecond * (processes + database + callers)) / 1_000;
  const used = `${one.perSecond.toFixed(0)}/s × ${(processes + database + callers).toFixed(2)} ms = ${product.toFixed(2)} of ${one.cores} cores`;
  const first = ofOne.cpuMs;
  const growth = (processes + database + callers) / (first.processes + first.database + first.callers);
  const explained = `; the drop is explained by CPU, of which each takes ${growth.toFixed(1)} times as much`;
  const verdict = !isDrop ? '' : isExplained ? explained : '; THE DROP IS NOT EXPLAINED';
  const waits = Object.entries(one.waiting)
    .filter(([, share]) => share >= 0.02)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([name, share]) => `${name} ${percent(share)}`);
  const waiting = waits.length > 0 ? `; sessions wait for ${waits.join(', ')}` : '';
  const calls = one.chainCalls > 0 ? `; ${one.chainCalls.toFixed(1)} calls to the chain for each` : '';
  return `limit: ${nameLimit(one)} (${used})${verdict}${waiting}${calls}`;
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  for (const row of rows) console.log(row.map((text, at) => text.padStart(widths[at]!)).join('  '));
}
