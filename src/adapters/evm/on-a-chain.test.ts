import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { encodeFunctionData, parseAbi } from 'viem/utils';
import { deployTestTokens, openChain, type RpcServer, serveChain } from '../../sandbox/devnet/index.ts';
import {
  chains,
  createEvm,
  createNode,
  createSigner,
  createToken,
  hashOf,
  matchTransfer,
  NodeError,
  type PrivateKey,
  type Provider,
  type Receipt,
  raiseFees,
  readBlock,
  readBlockHashes,
  readChainId,
  readDecimals,
  readFees,
  readFinalBlock,
  readFrozen,
  readGasBalance,
  readMark,
  readReceipts,
  readTokenBalance,
  readTransactionCount,
  simulateTransfers,
  type Token,
  type TransferToSign,
  tokensOf,
} from './index.ts';

const makeKey = () => `0x${randomBytes(32).toString('hex')}` as PrivateKey;
const makeAddress = () => `0x${randomBytes(20).toString('hex')}`;
const million = 1_000_000n;
const { chainId, transferGas, tipMin, tipAllowed, feeCap } = chains.polygon;
const issuerKey = makeKey();
const signer = createSigner(makeKey());
const gwei = 10n ** 9n;
const usualFees = { maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: gwei };

describe('on a chain', () => {
  let server: RpcServer;
  let provider: Provider;
  let tokens: Token[];
  let usdt: Token;
  let usdc: Token;

  before(async () => {
    const chain = await openChain({ chainId });
    server = await serveChain(async () => chain);
    const rpcUrl = server.url;
    provider = createNode({ rpcUrls: [rpcUrl], timeoutMs: 60_000 }).pick();
    const deployed = await deployTestTokens({
      rpcUrl,
      chainId,
      issuerKey,
      holder: signer.address,
      tokens: ['USDT', 'USDC'],
    });
    tokens = tokensOf('polygon', deployed);
    [usdt, usdc] = tokens as [Token, Token];
  });
  after(() => server?.stop());

  const newTransfer = (token: Token, amount = million) => ({
    token: token.address,
    to: makeAddress(),
    amount,
    reference: randomUUID(),
  });

  async function sign(transfer: Omit<TransferToSign, 'chainId' | 'nonce' | 'gas' | keyof typeof usualFees>) {
    const nonce = await readTransactionCount(provider, signer.address, 'latest');
    return signer.signTransfer({ ...transfer, ...usualFees, chainId, nonce, gas: transferGas });
  }

  const send = (raw: Buffer) => provider.call<string>('eth_sendRawTransaction', [`0x${raw.toString('hex')}`]);

  async function receiptOf(hash: string): Promise<Receipt> {
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await sleep(10)) {
      const [receipt] = await readReceipts(provider, [hash]);
      if (receipt instanceof NodeError) throw receipt;
      if (receipt) return receipt;
    }
    return assert.fail('the transaction was not mined');
  }

  async function freeze(token: Token, address: string): Promise<void> {
    const issuer = privateKeyToAccount(issuerKey);
    const raw = await issuer.signTransaction({
      type: 'eip1559',
      chainId,
      nonce: await readTransactionCount(provider, issuer.address, 'latest'),
      gas: 200_000n,
      ...usualFees,
      to: token.address as `0x${string}`,
      data: encodeFunctionData({
        abi: parseAbi(['function setFrozen(address account, bool isFrozen)']),
        args: [address as `0x${string}`, true],
      }),
    });
    const { isSuccess } = await receiptOf(await provider.call<string>('eth_sendRawTransaction', [raw]));
    assert.ok(isSuccess);
  }

  it('pays with each token, and the receipt shows the exact transfer', async () => {
    for (const token of tokens) {
      const transfer = newTransfer(token);
      const { hash, raw } = await sign(transfer);
      assert.equal(await send(raw), hash);
      assert.equal(hashOf(raw), hash);
      const receipt = await receiptOf(hash);
      assert.ok(receipt.isSuccess);
      const asked = { ...transfer, from: signer.address };
      assert.deepEqual(matchTransfer(receipt, asked), { kind: 'exact', logIndex: 0 });
      assert.deepEqual(matchTransfer(receipt, { ...asked, amount: 1n }), { kind: 'other' });
      const another = tokens.find(({ address }) => address !== token.address)!;
      assert.deepEqual(matchTransfer(receipt, { ...asked, token: another.address }), { kind: 'none' });

      assert.equal(await readTokenBalance(provider, token.address, transfer.to), million);
      const { input } = await provider.call<{ input: string }>('eth_getTransactionByHash', [hash]);
      assert.equal(readMark(input)?.reference, transfer.reference);
      assert.deepEqual(await readBlockHashes(provider, [receipt.blockNumber, 1_000_000]), [
        receipt.blockHash,
        null,
      ]);
    }
  });

  it('says of a transfer that the token refused: mined, and nothing moved', async () => {
    for (const token of tokens) {
      const transfer = newTransfer(token);
      await freeze(token, transfer.to);
      const { hash, raw } = await sign(transfer);
      await send(raw);
      const receipt = await receiptOf(hash);
      assert.equal(receipt.isSuccess, false);
      assert.deepEqual(matchTransfer(receipt, { ...transfer, from: signer.address }), { kind: 'none' });
    }
  });

  it('tells beforehand what a token would refuse, and why', async () => {
    const frozen = newTransfer(usdt);
    await freeze(usdt, frozen.to);
    const tooMuch = newTransfer(usdc, 10n ** 20n);
    const outcomes = await simulateTransfers(provider, signer.address, [
      newTransfer(usdt),
      frozen,
      newTransfer(usdc),
      tooMuch,
    ]);
    assert.deepEqual(outcomes, [
      'ok',
      { reverted: 'account is frozen' },
      'ok',
      { reverted: 'transfer exceeds balance' },
    ]);
  });

  it('knows who is frozen, by the name that the token gives its list', async () => {
    for (const token of tokens) {
      const [frozen, free] = [makeAddress(), makeAddress()];
      await freeze(token, frozen);
      assert.deepEqual(await readFrozen(provider, token, [free, frozen, free]), [false, true, false]);
      const otherName = token.symbol === 'USDT' ? 'isBlacklisted' : 'isBlackListed';
      const withoutList: Token = { ...token, freezeFunction: otherName };
      assert.deepEqual(await readFrozen(provider, withoutList, [frozen]), [false]);
    }
    const noContract = createToken('USDC', makeAddress());
    assert.deepEqual(await readFrozen(provider, noContract, [makeAddress()]), [false]);
  });

  it('reads balances and decimals; where there is no contract, that is an error', async () => {
    assert.equal(await readDecimals(provider, usdt.address), 6);
    assert.equal(await readTokenBalance(provider, usdt.address, makeAddress()), 0n);
    assert.equal(await readGasBalance(provider, makeAddress()), 0n);
    assert.ok((await readGasBalance(provider, signer.address)) > 10n ** 18n);
    await assert.rejects(readDecimals(provider, makeAddress()), NodeError);
    await assert.rejects(readTokenBalance(provider, makeAddress(), signer.address), NodeError);
  });

  it('finds the final block by each rule, and the count of transactions at it', async () => {
    assert.equal(await readChainId(provider), chainId);
    const former = await readTransactionCount(provider, signer.address, 'latest');
    const { raw } = await sign(newTransfer(usdc));
    await send(raw);
    await provider.call('hardhat_mine', ['0x2']);
    const latest = (await readBlock(provider, 'latest'))!;
    assert.match(latest.hash, /^0x[0-9a-f]{64}$/);
    assert.ok(latest.baseFeePerGas > 0n);
    assert.equal((await readFinalBlock(provider, 0))!.number, latest.number);
    assert.equal((await readFinalBlock(provider, 3))!.number, latest.number - 3);
    assert.equal((await readFinalBlock(provider, 'safe'))!.number, latest.number - 2);
    assert.equal((await readFinalBlock(provider, 'finalized'))!.number, latest.number - 4);
    assert.equal(await readFinalBlock(provider, latest.number + 1), undefined);
    assert.equal(await readBlock(provider, latest.number + 1), undefined);
    assert.equal((await readBlock(provider, latest.number))!.hash, latest.hash);
    const countAt = (depth: number) => readTransactionCount(provider, signer.address, latest.number - depth);
    assert.deepEqual([await countAt(3), await countAt(2)], [former, former + 1]);
  });

  it('replaces a transaction that waits, with the fees of raiseFees and not with lower ones', async () => {
    await provider.call('evm_setAutomine', [false]);
    try {
      const transfer = newTransfer(usdt);
      const nonce = await readTransactionCount(provider, signer.address, 'latest');
      const signWith = (fees: typeof usualFees) =>
        signer.signTransfer({ ...transfer, ...fees, chainId, nonce, gas: transferGas });
      const fees = await readFees([provider], { tipMin, tipAllowed, feeCap });
      const waiting = await signWith(fees);
      await send(waiting.raw);
      assert.equal(await readTransactionCount(provider, signer.address, 'pending'), nonce + 1);
      assert.deepEqual(await readReceipts(provider, [waiting.hash]), [null]);

      const little = await signWith({ ...fees, maxFeePerGas: fees.maxFeePerGas - 1n });
      await assert.rejects(
        send(little.raw),
        (error: NodeError) => error.isAnswer && /underpriced/.test(error.said!),
      );
      const raised = await signWith(
        raiseFees(fees, await readFees([provider], { tipMin, tipAllowed, feeCap }), feeCap)!,
      );
      assert.equal(await send(raised.raw), raised.hash);
      await provider.call('evm_mine', []);
      const [lost, mined] = await readReceipts(provider, [waiting.hash, raised.hash]);
      assert.equal(lost, null);
      const match = matchTransfer(mined as Receipt, { ...transfer, from: signer.address });
      assert.equal(match.kind, 'exact');
      await assert.rejects(
        send(waiting.raw),
        (error: NodeError) => error.isAnswer && /nonce/.test(error.said!),
      );
    } finally {
      await provider.call('evm_setAutomine', [true]);
    }
  });

  it('suggests fees that are mined at once', async () => {
    const fees = await readFees([provider], { tipMin, tipAllowed, feeCap });
    assert.ok(fees.maxPriorityFeePerGas >= tipMin && fees.maxFeePerGas <= feeCap);
    const nonce = await readTransactionCount(provider, signer.address, 'latest');
    const transfer = { ...newTransfer(usdc), ...fees, chainId, nonce, gas: transferGas };
    const { hash, raw } = await signer.signTransfer(transfer);
    await send(raw);
    assert.ok((await receiptOf(hash)).isSuccess);
  });

  it('is put together from settings, with a signer only where there is a key', async () => {
    const counted: string[] = [];
    const settings = {
      network: 'polygon',
      rpcUrls: [server.url],
      finality: { rule: 2 },
      tokens,
      feeCap: 7n,
      bumpAfterMs: 1,
    } as const;
    const settingsOf = (signerKey?: PrivateKey) => [
      { ...settings, rpcUrls: [...settings.rpcUrls], ...(signerKey && { signerKeys: [signerKey] }) },
    ];
    const evm = createEvm(settingsOf(issuerKey), (...facts) => counted.push(facts.join(' ')));
    const polygon = evm.get('polygon')!;
    assert.deepEqual([...evm.keys()], ['polygon']);
    assert.equal(await readChainId(polygon.node.pick()), polygon.chainId);
    assert.deepEqual(counted, ['polygon eth_chainId ok']);
    assert.equal(polygon.tokens.get('USDT'), usdt);
    assert.deepEqual([polygon.feeCap, polygon.tipMin, polygon.finality], [7n, tipMin, { rule: 2 }]);
    assert.equal(polygon.signers[0]!.address, privateKeyToAccount(issuerKey).address.toLowerCase());
    assert.deepEqual(createEvm(settingsOf()).get('polygon')!.signers, []);
  });
});
