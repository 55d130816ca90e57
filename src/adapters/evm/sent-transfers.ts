import { type Hex, malformed, readHex, readNumber, readQuantity, toQuantity, toWord } from './hex.ts';
import { NodeError } from './json-rpc.ts';
import type { Provider } from './node.ts';
import { transferTopic } from './receipts.ts';
import { readMark } from './transfers.ts';
import { viem } from './viem.ts';

/** A transfer by a wallet as on chain, with the bytes that were sent. */
export interface SentTransfer {
  hash: string;
  raw: Buffer;
  nonce: number;
  token: string;
  to: string;
  amount: bigint;
  /** Undefined if it is not one of ours. */
  reference: string | undefined;
  keyMark: Buffer | undefined;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

export interface SentRange {
  from: string;
  /** Of any contract by default. */
  tokens?: readonly string[];
  fromBlock: number;
  toBlock: number;
}

/** Hosted nodes refuse logs of more blocks than this in one call. */
const blocksInCall = 2_000;

/** Every transfer of tokens out of a wallet in a range of blocks. Throws a `NodeError`. */
export async function readSentTransfers(provider: Provider, range: SentRange): Promise<SentTransfer[]> {
  const hashes = new Set<string>();
  for (let first = range.fromBlock; first <= range.toBlock; first += blocksInCall) {
    const last = Math.min(first + blocksInCall - 1, range.toBlock);
    for (const hash of await readHashes(provider, range, first, last)) hashes.add(hash);
  }
  const method = 'eth_getTransactionByHash';
  const answers = await provider.batch([...hashes].map((hash) => ({ method, params: [hash] })));
  return answers.flatMap((answer) => {
    if (answer instanceof NodeError) throw answer;
    const transfer = parseTransfer(method, answer, range.from);
    return transfer ? [transfer] : [];
  });
}

/** A transaction by its hash: who sent it, with which nonce, and what it moved if it is a transfer. */
export async function readSentTransaction(
  provider: Provider,
  hash: string,
): Promise<{ from: string; nonce: number; transfer: SentTransfer | undefined } | undefined> {
  const method = 'eth_getTransactionByHash';
  const answer = await provider.call<Record<string, unknown> | null>(method, [hash]);
  if (answer === null) return undefined;
  if (readHex(method, answer.hash, 32) !== hash.toLowerCase())
    throw new NodeError(`${method}: the node answered with another transaction`);
  const from = readHex(method, answer.from, 20);
  const nonce = readNumber(method, answer.nonce);
  return { from, nonce, transfer: parseTransfer(method, answer, from) };
}

/** The transactions among them that a node has, in a block or pending. Throws a `NodeError`. */
export async function readKnown(provider: Provider, hashes: readonly string[]): Promise<string[]> {
  const answers = await provider.batch(
    hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] })),
  );
  const failure = answers.find((answer) => answer instanceof NodeError);
  if (failure) throw failure;
  return hashes.filter((_, at) => answers[at] !== null);
}

async function readHashes(
  provider: Provider,
  { from, tokens }: SentRange,
  first: number,
  last: number,
): Promise<string[]> {
  const method = 'eth_getLogs';
  const logs = await provider.call<unknown>(method, [
    {
      fromBlock: toQuantity(first),
      toBlock: toQuantity(last),
      ...(tokens && { address: tokens }),
      topics: [transferTopic, `0x${toWord(from)}`],
    },
  ]);
  if (!Array.isArray(logs)) throw malformed(method);
  return logs.map((log) => readHex(method, (log as { transactionHash?: unknown }).transactionHash, 32));
}

/** Undefined for what the wallet did not send itself, such as a transfer by an approved spender. */
function parseTransfer(method: string, answer: unknown, wallet: string): SentTransfer | undefined {
  if (typeof answer !== 'object' || answer === null) throw malformed(method);
  const fields = answer as Record<string, unknown>;
  const hash = readHex(method, fields.hash, 32);
  if (readHex(method, fields.from, 20) !== wallet || fields.type !== '0x2') return undefined;
  const [token, input] = [readHex(method, fields.to, 20), readHex(method, fields.input)];
  const nonce = readNumber(method, fields.nonce);
  const maxFeePerGas = readQuantity(method, fields.maxFeePerGas);
  const maxPriorityFeePerGas = readQuantity(method, fields.maxPriorityFeePerGas);
  const raw = viem.utils.serializeTransaction(
    {
      type: 'eip1559',
      chainId: readNumber(method, fields.chainId),
      nonce,
      gas: readQuantity(method, fields.gas),
      maxFeePerGas,
      maxPriorityFeePerGas,
      to: token as Hex,
      value: readQuantity(method, fields.value),
      data: input as Hex,
      accessList: [],
    },
    { r: fields.r as Hex, s: fields.s as Hex, yParity: readNumber(method, fields.yParity ?? fields.v) },
  );
  // The bytes are rebuilt from the node's answer: a wrong field would change the hash.
  if (viem.utils.keccak256(raw) !== hash) return undefined;
  const call = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})/.exec(input);
  if (!call) return undefined;
  return {
    hash,
    raw: Buffer.from(raw.slice(2), 'hex'),
    nonce,
    token,
    maxFeePerGas,
    maxPriorityFeePerGas,
    to: `0x${call[1]}`,
    amount: BigInt(`0x${call[2]}`),
    reference: undefined,
    keyMark: undefined,
    ...readMark(input),
  };
}
