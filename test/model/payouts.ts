import { brokenBetween, brokenIn, isDone } from './invariants.ts';
import type { Departure } from './mutants.ts';
import { rulesOf } from './rules.ts';
import { type Outcome, search } from './search.ts';
import { type Bounds, firstWorld, keyMaker } from './world.ts';

export const usualBounds: Bounds = {
  withdrawals: 2,
  workers: 2,
  bumps: 2,
  finalDepth: 3,
  funded: 2,
  losses: 0,
  liars: 0,
  deepReorgs: 0,
};

/** Watches over every promise, or over one. */
export function searchPayouts(bounds: Bounds, departure?: Departure, onlyPromise?: string): Outcome {
  const isWatched = (promise: string) => onlyPromise === undefined || promise === onlyPromise;
  return search({
    first: firstWorld(bounds),
    stepsFrom: rulesOf(bounds, departure),
    keyOf: keyMaker(bounds),
    brokenIn: (world) => brokenIn(world, bounds).find(isWatched),
    brokenBetween: (before, after) => brokenBetween(before, after).find(isWatched),
    isDone,
  });
}

export function describeBounds(bounds: Bounds): string {
  const sizes = Object.entries(bounds).map(([name, size]) => `${name} ${size}`);
  return `${sizes.join(', ')}, and any number of crashes, reorganisations, reverts, drops, lost or false answers`;
}

export function describeOutcome({ states, transitions, depth, elapsedMs, broken }: Outcome): string {
  const counts = `${states.toLocaleString('en')} states, ${transitions.toLocaleString('en')} transitions`;
  const figures = `${counts}, depth ${depth}, ${(elapsedMs / 1000).toFixed(1)} s`;
  if (!broken) return `${figures}: every promise holds`;
  const lines = broken.trace.map((line, at) => `\n  ${at + 1}. ${line}`);
  return `${figures}, broken: ${broken.promise}${lines.join('')}`;
}
