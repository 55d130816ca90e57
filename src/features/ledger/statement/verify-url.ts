import { hash } from 'node:crypto';
import type { Ctx } from '#context';
import { type LineType, lineTypes } from '../lines/line.ts';
import type { StatementSubject } from './statement-number.ts';
import type { Totals } from './writer.ts';

/** What the link on a statement says: of what it is, and the beginnings of two hashes. */
export interface StatementLink extends Omit<StatementSubject, 'lastHash'> {
  /** Of the ledger's last line, and of what the statement says about its assets; hexadecimal. */
  headHash: string;
  totalsHash: string;
}

const purpose = 'statement';
const hashBytes = 8;

/** The page that checks the statement. Only this deployment can make such a link, or read it. */
export function verifyUrlOf(
  { sealer, publicUrl }: Ctx,
  subject: StatementSubject,
  balances: readonly Totals[],
): string {
  const code = sealer.sealCode(purpose, pack(subject, hashTotals(balances)));
  return `${publicUrl}/statements/verify?code=${code}`;
}

/** Undefined for a code that was not made here. */
export function openStatementCode({ sealer }: Pick<Ctx, 'sealer'>, code: string): StatementLink | undefined {
  const bytes = sealer.openCode(purpose, code);
  return bytes && unpack(bytes);
}

/** The beginning of a hash over the balances that a statement says, without those that are zero. */
export function hashTotals(balances: readonly Totals[]): string {
  const texts = balances
    .filter(({ opening, closing }) => opening !== 0n || closing !== 0n)
    .map(({ network, currency, opening, closing }) => [network, currency, `${opening}`, `${closing}`]);
  return hash('sha256', JSON.stringify(texts.sort())).slice(0, hashBytes * 2);
}

/** The beginning of the hash of a ledger's last line, as links have it. */
export const headOf = (lastHash: string) => lastHash.slice(0, hashBytes * 2).padEnd(hashBytes * 2, '0');

/** An edge of the period that was not given. */
const open = -(2n ** 63n);
const edgeOf = (instant: Date | undefined) => (instant ? BigInt(instant.getTime()) : open);

/** Format 1: types, start, end, last number, user, both hashes. */
function pack(subject: StatementSubject, totalsHash: string): Buffer {
  const { userId, types, startAt, endAt, lastNumber, lastHash } = subject;
  const numbers = Buffer.alloc(2 + 3 * 8);
  numbers.writeUInt8(1, 0);
  numbers.writeUInt8(
    lineTypes.reduce((bits, type, at) => bits | (Number(types.includes(type)) << at), 0),
    1,
  );
  numbers.writeBigInt64BE(edgeOf(startAt), 2);
  numbers.writeBigInt64BE(edgeOf(endAt), 10);
  numbers.writeBigInt64BE(lastNumber, 18);
  return Buffer.concat([
    numbers,
    Buffer.from(userId.replaceAll('-', ''), 'hex'),
    Buffer.from(headOf(lastHash) + totalsHash, 'hex'),
  ]);
}

function unpack(bytes: Buffer): StatementLink {
  const bits = bytes.readUInt8(1);
  const edge = (at: number) => {
    const ms = bytes.readBigInt64BE(at);
    return ms === open ? undefined : new Date(Number(ms));
  };
  const [user, hashes] = [bytes.toString('hex', 26, 42), bytes.toString('hex', 42)];
  return {
    types: lineTypes.filter((_: LineType, at: number) => (bits & (1 << at)) !== 0),
    startAt: edge(2),
    endAt: edge(10),
    lastNumber: bytes.readBigInt64BE(18),
    userId: user.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    headHash: hashes.slice(0, hashBytes * 2),
    totalsHash: hashes.slice(hashBytes * 2),
  };
}
