import type { Fees } from './fees.ts';
import type { Hex } from './hex.ts';
import type { PrivateKey } from './private-key.ts';
import { encodeFiller, encodeTransfer, type Transfer } from './transfers.ts';
import { viem } from './viem.ts';

export interface TransferToSign extends Transfer, Fees {
  chainId: number;
  nonce: number;
  gas: bigint;
}

/** Uses up a nonce and pays nobody. */
export interface FillerToSign extends Fees {
  token: string;
  gas: bigint;
  chainId: number;
  nonce: number;
}

export interface Signer {
  /** In lower case. */
  address: string;
  /** The bytes to store and then to send, and the hash under which the chain will know them. */
  signTransfer(transfer: TransferToSign): Promise<{ hash: string; raw: Buffer }>;
  signFiller(filler: FillerToSign): Promise<{ hash: string; raw: Buffer }>;
}

export function createSigner(key: PrivateKey): Signer {
  const account = viem.accounts.privateKeyToAccount(key);
  return {
    address: account.address.toLowerCase(),
    async signTransfer(transfer) {
      const { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, token } = transfer;
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId,
        nonce,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas,
        to: token as Hex,
        value: 0n,
        data: encodeTransfer(transfer),
        accessList: [],
      });
      return { hash: viem.utils.keccak256(raw), raw: Buffer.from(raw.slice(2), 'hex') };
    },
    async signFiller({ chainId, nonce, gas, token, maxFeePerGas, maxPriorityFeePerGas }) {
      const raw = await account.signTransaction({
        ...{ type: 'eip1559', chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas },
        ...{ to: token as Hex, value: 0n, data: encodeFiller(account.address), accessList: [] },
      });
      return { hash: viem.utils.keccak256(raw), raw: Buffer.from(raw.slice(2), 'hex') };
    },
  };
}

/** The hash of a signed transaction, which is also its name on chain. */
export function hashOf(raw: Buffer): string {
  return viem.utils.keccak256(raw);
}
