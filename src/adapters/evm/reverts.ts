import type { NodeError } from './json-rpc.ts';

/** Geth, Erigon, Reth, Besu and Nethermind since 1.36. Others report a revert in the message or the data. */
const revertCode = 3;
const revertWords = /\bexecution reverted\b|\bVM Exception while processing transaction: revert|^revert\b/i;
/** `Error(string)`: what `require(…, "reason")` returns. */
const errorSelector = '0x08c379a0';
/** `Reverted 0x…`, `revert`, or the bytes of `Error(string)` or `Panic(uint256)`. */
const revertData = /^(?:Reverted\b|revert$|0x08c379a0|0x4e487b71)/i;
/** Nethermind before 1.34: the data is the reason as text, or the name of an EVM exception, as `OutOfGas`. */
const vmErrorCode = -32015;
const longestReason = 300;

/**
 * Why the contract refused the call. Undefined for other errors, such as missing state or too little gas,
 * which say nothing about the contract.
 */
export function reasonOfRevert({ isAnswer, code, said = '', data = '' }: NodeError): string | undefined {
  const isPlain = code === vmErrorCode && /\s/.test(data) && !revertData.test(data);
  const isRevert = isPlain || code === revertCode || revertWords.test(said) || revertData.test(data);
  if (!isAnswer || !isRevert) return undefined;
  if (isPlain) return clean(data);
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
  return clean(bytes.toString('utf8', 64, 64 + length));
}

const clean = (reason: string) => reason.replace(/\p{Cc}+/gu, ' ').slice(0, longestReason);

const shorten = (data: string) => (data.length > 74 ? `${data.slice(0, 74)}…` : data);
