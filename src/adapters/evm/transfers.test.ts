import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { parseTransaction, recoverTransactionAddress } from 'viem';
import { addressOfKey, parsePrivateKey } from './private-key.ts';
import { createSigner, hashOf } from './signer.ts';
import { encodeTransfer, readMark } from './transfers.ts';

const key = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318')!;
const token = `0x${'a1'.repeat(20)}`;
const to = `0x${'b2'.repeat(20)}`;
const reference = '01890a5d-ac96-774b-bcce-b302099a8057';

test('the calldata is a transfer with the reference behind it', () => {
  assert.equal(
    encodeTransfer({ to, amount: 1_500_000n, reference }),
    `0xa9059cbb${'0'.repeat(24)}${'b2'.repeat(20)}${1_500_000n.toString(16).padStart(64, '0')}01890a5dac96774bbcceb302099a8057`,
  );
});

test('reference and key mark are read back from the calldata, and from nothing else', () => {
  const uuid = randomUUID();
  const keyMark = Buffer.alloc(16, 7);
  const calldata = encodeTransfer({ to, amount: 1n, reference: uuid.toUpperCase(), keyMark });
  assert.deepEqual(readMark(calldata), { reference: uuid, keyMark });
  assert.deepEqual(readMark(calldata.toUpperCase().replace('0X', '0x')), { reference: uuid, keyMark });
  assert.deepEqual(readMark(calldata.slice(0, -32)), { reference: uuid, keyMark: undefined });
  for (const other of [
    '',
    '0x',
    calldata.slice(0, -64),
    calldata.slice(0, -2),
    `${calldata}00`,
    calldata.replace('a9059cbb', '095ea7b3'),
  ]) {
    assert.equal(readMark(other), undefined);
  }
});

test('what is no transfer is not signed', () => {
  const good = { to, amount: 1n, reference };
  for (const wrong of [
    { amount: 0n },
    { amount: -1n },
    { amount: 2n ** 256n },
    { to: '0xb2' },
    { reference: '' },
    { reference: `${reference}00` },
    { keyMark: Buffer.alloc(15) },
  ]) {
    assert.throws(() => encodeTransfer({ ...good, ...wrong }));
  }
});

test('a signer signs with every field given, and names the hash of the bytes', async () => {
  const signer = createSigner(key);
  assert.equal(signer.address, addressOfKey(key).toLowerCase());
  const fees = { maxFeePerGas: 90n, maxPriorityFeePerGas: 7n };
  const { hash, raw } = await signer.signTransfer({
    token,
    to,
    amount: 1n,
    reference,
    chainId: 137,
    nonce: 0,
    gas: 150_000n,
    ...fees,
  });
  assert.equal(hashOf(raw), hash);
  const serialized = `0x02${raw.toString('hex').slice(2)}` as const;
  assert.deepEqual(
    { ...parseTransaction(serialized), r: 0, s: 0, v: 0, yParity: 0 },
    {
      type: 'eip1559',
      chainId: 137,
      nonce: 0,
      gas: 150_000n,
      to: token,
      ...fees,
      data: encodeTransfer({ to, amount: 1n, reference }),
      r: 0,
      s: 0,
      v: 0,
      yParity: 0,
    },
  );
  assert.equal(await recoverTransactionAddress({ serializedTransaction: serialized }), addressOfKey(key));
});
