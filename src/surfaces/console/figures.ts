import type { Deps } from '#context';
import type { GaugeSource } from '#platform/observe/metrics';

export interface Figure {
  labels: Record<string, string>;
  value: number;
}

/** Figures of `/metrics` by name; undefined if they cannot be read. */
export type ReadFigures = (name: string) => Promise<readonly Figure[] | undefined>;

export function figureReader(gauges: readonly GaugeSource<Deps>[], deps: Deps): ReadFigures {
  const byName = new Map(gauges.map((gauge) => [gauge.name, gauge]));
  return async (name) => {
    const gauge = byName.get(name);
    if (!gauge) throw new Error(`no figure is named ${name}`);
    try {
      return await gauge.read(deps);
    } catch (error) {
      deps.log.warn({ err: error, figure: name }, 'a figure could not be read');
      return undefined;
    }
  };
}
