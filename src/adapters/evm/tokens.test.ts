import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumAddress } from './address.ts';
import { chains, networks } from './chains.ts';
import { tokenAddresses, tokensOf } from './tokens.ts';

for (const network of networks) {
  test(`the tokens of ${network} are those of its chain, each address with its checksum (EIP-55)`, () => {
    assert.deepEqual(Object.keys(tokenAddresses[network]), chains[network].tokens);
    for (const address of Object.values(tokenAddresses[network])) {
      assert.equal(checksumAddress(address.toLowerCase()), address);
    }
  });
}

test('no two tokens share an address', () => {
  const addresses = networks.flatMap((network) => tokensOf(network).map(({ address }) => address));
  assert.equal(addresses.length, 8);
  assert.equal(new Set(addresses).size, 8);
});

test('another address stands in for the issuer’s, or adds a token; the freeze function is the symbol’s', () => {
  const others = { USDT: `0x${'A1'.repeat(20)}`, EURC: `0x${'b2'.repeat(20)}` };
  assert.deepEqual(
    tokensOf('polygon', others).map(({ symbol, address, freezeFunction }) => [
      symbol,
      address,
      freezeFunction,
    ]),
    [
      ['USDT', `0x${'a1'.repeat(20)}`, 'isBlackListed'],
      ['USDC', '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', 'isBlacklisted'],
      ['EURC', `0x${'b2'.repeat(20)}`, 'isBlacklisted'],
    ],
  );
});
