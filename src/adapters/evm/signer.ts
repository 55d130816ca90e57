import type { Fees } from './fees.ts';
import type { Hex } from './hex.ts';
import type { PrivateKey } from './private-key.ts';
import { encodeFiller, encodeTransfer, type Transfer } from './transfers.ts';
import { viem } from './viem.ts';

interface Call extends Fees {
  token: string;
  chainId: number;
  nonce: number;
  gas: bigint;
}

export interface TransferToSign extends Transfer, Call {}

/** The bytes to store and then send, and their hash on chain. */
export interface Signed {
  hash: string;
  raw: Buffer;
}

export interface Signer {
  /** In lower case. */
  address: string;
  signTransfer(transfer: TransferToSign): Promise<Signed>;
  /** Uses up a nonce and pays nobody. */
  signFiller(filler: Call): Promise<Signed>;
}

export function createSigner(key: PrivateKey): Signer {
  const account = viem.accounts.privateKeyToAccount(key);
  /** A call of the token, with every field given. */
  const sign = async (call: Call, data: Hex): Promise<Signed> => {
    const { token, chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = call;
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId,
      nonce,
      gas,
      maxFeePerGas,
      maxPriorityFeePerGas,
      to: token as Hex,
      value: 0n,
      data,
      accessList: [],
    });
    return { hash: viem.utils.keccak256(raw), raw: Buffer.from(raw.slice(2), 'hex') };
  };
  return {
    address: account.address.toLowerCase(),
    signTransfer: async (transfer) => sign(transfer, encodeTransfer(transfer)),
    signFiller: async (filler) => sign(filler, encodeFiller(account.address)),
  };
}

/** The hash of a signed transaction. */
export function hashOf(raw: Buffer): string {
  return viem.utils.keccak256(raw);
}
