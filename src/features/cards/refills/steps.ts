/** Moments at which a process may die without harm: each is named, and a test ends the process in each. */
export const refillSteps = [
  'opened',
  'queued',
  'starting',
  'started',
  'announcing',
  'announced',
  'completed',
] as const;
export type RefillStep = (typeof refillSteps)[number];

/** Called at each of them. */
export type AtRefillStep = (step: RefillStep) => Promise<void> | void;

export const never: AtRefillStep = () => {};
