// Breadth-first search through every state of a model. It knows nothing of payouts.

export interface Step<State> {
  label: string;
  /** Faults may happen; nothing may rely on them. */
  isFault: boolean;
  state: State;
}

export interface Model<State> {
  first: State;
  stepsFrom(state: State): Step<State>[];
  /** Equal for states that are the same but for names. */
  keyOf(state: State): string;
  /** The promise that the state breaks, if any. */
  brokenIn(state: State): string | undefined;
  /** The promise that the step breaks, if any. */
  brokenBetween(before: State, after: State): string | undefined;
  isDone(state: State): boolean;
}

export interface Outcome {
  states: number;
  transitions: number;
  depth: number;
  elapsedMs: number;
  /** Of every step that was taken. */
  labels: Set<string>;
  /** The first promise found broken, and a shortest way there. Without it, no state was left to visit. */
  broken?: { promise: string; trace: string[] };
}

export const canFinish = 'from every state the work can finish without another fault';

/**
 * Visits every reachable state, unless a promise is broken before. Then it walks back from the states where
 * all is done, along steps that are no faults: in a state that this does not reach, the work is stuck. The
 * number of states is finite, so from the others it finishes under any scheduler that does not pass over a
 * possible step for ever.
 */
export function search<State>(model: Model<State>): Outcome {
  const startedAt = performance.now();
  const keys = [model.keyOf(model.first)];
  const numberOf = new Map([[keys[0]!, 0]]);
  const parents = [0];
  const arrivals = new Arrivals();
  const done: number[] = [];
  const labels = new Set<string>();
  let transitions = 0;
  let depth = 0;

  const outcome = (promise?: string, way: string[] = []): Outcome => {
    const elapsedMs = performance.now() - startedAt;
    const figures = { states: keys.length, transitions, depth, elapsedMs, labels };
    return promise === undefined ? figures : { ...figures, broken: { promise, trace: replay(model, way) } };
  };
  const wayTo = (state: number): string[] =>
    state === 0 ? [keys[0]!] : [...wayTo(parents[state]!), keys[state]!];

  let from = 0;
  for (let frontier = [model.first]; frontier.length > 0; ) {
    const next: State[] = [];
    for (const state of frontier) {
      if (model.isDone(state)) done.push(from);
      for (const { label, isFault, state: after } of model.stepsFrom(state)) {
        transitions += 1;
        labels.add(label);
        const key = model.keyOf(after);
        let to = numberOf.get(key);
        const isNew = to === undefined;
        const promise = model.brokenBetween(state, after) ?? (isNew ? model.brokenIn(after) : undefined);
        if (promise !== undefined) return outcome(promise, [...wayTo(from), key]);
        if (to === undefined) {
          to = keys.push(key) - 1;
          numberOf.set(key, to);
          parents.push(from);
          next.push(after);
        }
        if (!isFault) arrivals.add(from, to);
      }
      from += 1;
    }
    if (next.length > 0) depth += 1;
    frontier = next;
  }

  // States are numbered in the order of their distance, so the first that is stuck is one of the nearest.
  const stuck = arrivals.startsBefore(done, keys.length).indexOf(0);
  return stuck === -1 ? outcome() : outcome(canFinish, wayTo(stuck));
}

/**
 * Walks the way again from the start, so that the names in its lines are the same from the first to the last.
 */
function replay<State>(model: Model<State>, way: string[]): string[] {
  let state = model.first;
  return way.slice(1).map((key) => {
    const step = model.stepsFrom(state).find((candidate) => model.keyOf(candidate.state) === key);
    if (!step) throw new Error('the model is not symmetric: a step exists under some names only');
    state = step.state;
    return step.label;
  });
}

/** For each state the states from which a step leads to it, as linked lists in plain arrays of numbers. */
class Arrivals {
  #last: number[] = [];
  #from: number[] = [];
  #previous: number[] = [];

  add(from: number, to: number): void {
    while (this.#last.length <= to) this.#last.push(-1);
    this.#previous.push(this.#last[to]!);
    this.#last[to] = this.#from.push(from) - 1;
  }

  /** Marks by 1 every state from which one of the ends can be reached. */
  startsBefore(ends: number[], states: number): Uint8Array {
    const marks = new Uint8Array(states);
    const waiting = [...ends];
    for (const end of ends) marks[end] = 1;
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      for (let at = this.#last[state] ?? -1; at !== -1; at = this.#previous[at]!) {
        const start = this.#from[at]!;
        if (marks[start] === 0) waiting.push(start);
        marks[start] = 1;
      }
    }
    return marks;
  }
}
