import type { Parts } from '#platform/commands/command';
import { CommandFault, exitCodes } from './exit-codes.ts';

export type Data = Record<string, unknown>;

/**
 * Calls a check until its last part. Lists are joined, counts are added, and a check passes if all parts do.
 * `onPart` receives what is known so far.
 */
export async function followParts(
  { input: field, output: next }: Parts,
  input: Data,
  call: (input: Data) => Promise<Data>,
  onPart: (known: Data) => void,
): Promise<Data> {
  let part = await call(input);
  // A copy: the lists grow, and the part is compared with the next one.
  const known = structuredClone(part);
  for (let from = part[next]; from !== null && from !== undefined; from = part[next]) {
    onPart(known);
    const before = part;
    part = await call({ ...input, [field]: from });
    if (part[next] === from) {
      throw new CommandFault(`The check does not get past ${next} ${String(from)}.`, exitCodes.refused);
    }
    for (const [name, value] of Object.entries(part)) {
      known[name] = name === next ? value : join(known[name], value, before[name]);
    }
  }
  return known;
}

/** Parts may overlap, by deposits of one block, so rows of the part before are left out. */
function join(known: unknown, value: unknown, before: unknown): unknown {
  if (typeof value === 'number') return (known as number) + value;
  if (typeof value === 'boolean') return known === true && value;
  if (!Array.isArray(value) || !Array.isArray(known)) return value;
  const seen = new Set((before as unknown[]).map((row) => JSON.stringify(row)));
  for (const row of value) if (!seen.has(JSON.stringify(row))) known.push(row);
  return known;
}
