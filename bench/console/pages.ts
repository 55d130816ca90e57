import { median } from '../measure.ts';
import type { Visitor } from './visit.ts';

const turns = 7;
const [msMax, bytesMax] = [100, 60_000];
const shownMax = 8;

/** The time of each page, in turns, and its size. */
export async function measurePages(visitor: Visitor, paths: readonly string[]): Promise<void> {
  const times = new Map<string, number[]>(paths.map((path) => [path, []]));
  const sizes = new Map<string, number>();
  const wrong = new Map<string, number>();
  for (let turn = -1; turn < turns; turn++) {
    for (const path of paths) {
      const { ms, body, status } = await visitor.get(path);
      if (turn >= 0) times.get(path)!.push(ms);
      sizes.set(path, Buffer.byteLength(body));
      if (status !== 200) wrong.set(path, status);
    }
  }
  const byTime = paths
    .map((path) => ({ path, ms: median(times.get(path)!) }))
    .sort((one, other) => other.ms - one.ms);
  const bySize = [...sizes].sort(([, one], [, other]) => other - one);
  const slow = byTime.filter(({ ms }) => ms > msMax).length;
  const large = bySize.filter(([, bytes]) => bytes > bytesMax).length;
  console.log(
    `${visitor.start}: ${paths.length} pages, median ${median(byTime.map(({ ms }) => ms)).toFixed(1)} ms; above ${msMax} ms: ${slow}; above ${bytesMax} bytes: ${large}`,
  );
  for (const { path, ms } of byTime.slice(0, shownMax)) console.log(`  ${ms.toFixed(1)} ms  ${path}`);
  for (const [path, bytes] of bySize.slice(0, 3)) console.log(`  ${bytes} bytes  ${path}`);
  for (const [path, status] of [...wrong].slice(0, shownMax)) console.log(`  status ${status}  ${path}`);
}
