import type { NodeError } from './json-rpc.ts';

/** Geth and its kin use code 3. Others say it in words; Nethermind in the data. */
const revertCode = 3;
const revertWords = /\bexecution reverted\b|\bVM Exception while processing transaction: revert/i;
const revertData = /^Reverted\b/;
/** `Error(string)`: what `require(…, "reason")` returns. */
const errorSelector = '0x08c379a0';
const longestReason = 300;

/**
 * Why the contract refused the call, or undefined where it was something else: a node that has no state for the block, or no
 * gas, or no mood says nothing about the contract.
 */
export function reasonOfRevert({ isAnswer, code, said = '', data = '' }: NodeError): string | undefined {
  const isRevert = code === revertCode || revertWords.test(said) || revertData.test(data);
  if (!isAnswer || !isRevert) return undefined;
  const returned = /0x[0-9a-f]*/i.exec(data)?.[0].toLowerCase() ?? '0x';
  const inWords = /\breverted: (?!0x)(.+)$/is.exec(said)?.[1];
  return decodeReason(returned) ?? inWords ?? (returned === '0x' ? 'no reason given' : shorten(returned));
}

function decodeReason(returned: string): string | undefined {
  if (!returned.startsWith(errorSelector)) return undefined;
  const bytes = Buffer.from(returned.slice(errorSelector.length), 'hex');
  if (bytes.length < 64) return undefined;
  const length = bytes.readUInt32BE(60);
  if (length === 0 || bytes.length < 64 + length) return undefined;
  return bytes
    .toString('utf8', 64, 64 + length)
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, longestReason);
}

const shorten = (data: string) => (data.length > 74 ? `${data.slice(0, 74)}…` : data);
