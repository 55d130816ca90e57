import type { Sealer } from '#platform/secrets/seal';
import { hashFacts } from '#platform/values/hash-facts';
import { approvalErrors } from './errors.ts';
import type { SealedApprovalRow } from './queries.ts';

type Asked = Pick<SealedApprovalRow, 'id' | 'command' | 'inputSha256'>;

/** SHA-256 of the command and its input, whatever the order of its fields. */
export const hashInput = (command: string, input: object): Buffer => hashFacts([command, ordered(input)]);

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([name, field]) => [name, ordered(field)]);
}

export const sealInput = (sealer: Sealer, asked: Asked, input: object): Buffer =>
  sealer.seal(placeOf(asked), JSON.stringify(input));

/** What was asked for. Refuses if the row now has another command, hash or input. */
export function openInput(sealer: Sealer, row: SealedApprovalRow): Record<string, unknown> {
  let input: Record<string, unknown>;
  try {
    input = JSON.parse(sealer.open(placeOf(row), row.inputSealed!));
  } catch (cause) {
    throw approvalErrors.inputChanged({ cause });
  }
  if (!hashInput(row.command, input).equals(row.inputSha256)) throw approvalErrors.inputChanged();
  return input;
}

const placeOf = ({ id, command, inputSha256 }: Asked) =>
  `approval_requests.input ${id} ${command} ${inputSha256.toString('hex')}`;
