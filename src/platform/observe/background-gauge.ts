import type { Clock } from '../values/clock.ts';
import type { GaugeSource } from './metrics.ts';

type Rows = Awaited<ReturnType<GaugeSource<unknown>['read']>>;

interface Kept {
  rows: Rows;
  readAt: number;
  isReading: boolean;
}

/**
 * A gauge whose reading gets slower with more data: a scrape shows the last value, and starts another read in
 * the background if it is older than `everyMs`. Only the first scrape of a process waits. A second gauge has
 * the age of what is shown.
 */
export function backgroundGauge<Deps extends { clock: Clock }>(
  source: GaugeSource<Deps> & { everyMs: number },
): GaugeSource<Deps>[] {
  const { everyMs, name, help, labels } = source;
  const kept = new WeakMap<Deps, Kept>();
  const readNow = async (deps: Deps): Promise<Kept> => {
    const fresh = { rows: await source.read(deps), readAt: deps.clock().getTime(), isReading: false };
    kept.set(deps, fresh);
    return fresh;
  };
  const read = async (deps: Deps) => {
    const known = kept.get(deps) ?? (await readNow(deps));
    if (!known.isReading && deps.clock().getTime() - known.readAt >= everyMs) {
      known.isReading = true;
      readNow(deps).catch(() => {
        known.isReading = false;
      });
    }
    return known.rows;
  };
  const readAge = async (deps: Deps) => {
    const known = kept.get(deps);
    return known?.rows.length ? [{ labels: {}, value: (deps.clock().getTime() - known.readAt) / 1_000 }] : [];
  };
  return [
    { name, labels, read, help: `${help} Read in the background every ${everyMs / 1_000} s.` },
    { name: `${name}_age_seconds`, labels: [], read: readAge, help: `How long ago ${name} was read.` },
  ];
}
