export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

/** `3 min`, `2 d`. */
export function showDuration(seconds: number): string {
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}
