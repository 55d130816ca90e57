import { hash } from 'node:crypto';
import type { LedgerCut, LineType } from '../open-statement.ts';

/** What a statement is of. Two statements of the same are one statement. */
export interface StatementSubject extends LedgerCut {
  userId: string;
  types: readonly LineType[];
  startAt?: Date | undefined;
  endAt?: Date | undefined;
}

/** Letters and digits that are not mistaken for each other. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 80 bits, such as `7ZK3-0QW9-M2XA-HC5T`: the same for the same account, period and ledger head. */
export function statementNumberOf(subject: StatementSubject): string {
  const { userId, types, startAt, endAt, lastNumber, lastHash } = subject;
  const edges = [startAt, endAt].map((instant) => instant?.toISOString() ?? null);
  const text = JSON.stringify([userId, [...types].sort(), ...edges, String(lastNumber), lastHash]);
  let bits = BigInt(`0x${hash('sha256', text).slice(0, 20)}`);
  let number = '';
  for (let at = 0; at < 16; at++, bits >>= 5n) number = alphabet[Number(bits & 31n)] + number;
  return number.replace(/.{4}(?=.)/g, '$&-');
}
