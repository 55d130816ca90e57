import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { faultInCidr, homeOf, isInBlocks, isWithinBlocks } from './address.ts';

for (const block of [
  '203.0.113.7',
  '203.0.113.0/24',
  '0.0.0.0/0',
  '255.255.255.255/32',
  '::1',
  '2001:db8::/32',
  '::/0',
  '::1/128',
  '::ffff:203.0.113.0/120',
  '203.0.113.7/24',
]) {
  test(`${block} is a block`, () => {
    assert.equal(faultInCidr(block), undefined);
  });
}

for (const text of [
  '',
  '/',
  '/24',
  'localhost',
  '203.0.113',
  '203.0.113.256',
  '203.0.113.0/24/8',
  '203.0.113.007',
  ' 203.0.113.7',
  'fe80::1%eth0',
  '2001:db8::g',
  '1::2::3',
  '203.0.113.0 /24',
  '3405803783',
  '0xcb007107',
]) {
  test(`${JSON.stringify(text)} is not a block`, () => {
    assert.equal(faultInCidr(text), `${text} is not an address or CIDR block`);
  });
}

for (const text of [
  '203.0.113.0/33',
  '203.0.113.0/',
  '203.0.113.0/-1',
  '203.0.113.0/1e1',
  '2001:db8::/129',
  '::/ 1',
]) {
  test(`${JSON.stringify(text)} has no valid prefix`, () => {
    assert.match(faultInCidr(text)!, /has a prefix outside 0 to (32|128)$/);
  });
}

for (const [address, block, isIn] of [
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.8', '203.0.113.7', false],
  ['203.0.113.0', '203.0.113.0/24', true],
  ['203.0.113.255', '203.0.113.0/24', true],
  ['203.0.114.0', '203.0.113.0/24', false],
  ['203.0.113.200', '203.0.113.7/24', true],
  ['198.51.100.1', '0.0.0.0/0', true],
  ['2001:db8:0:0::7', '2001:db8::/32', true],
  ['2001:DB8::7', '2001:db8::7', true],
  ['2001:db9::7', '2001:db8::/32', false],
  ['::ffff:203.0.113.7', '203.0.113.0/24', true],
  ['::ffff:cb00:7107', '203.0.113.7', true],
  ['::ffff:198.51.100.1', '203.0.113.0/24', false],
  ['203.0.113.7', '::ffff:203.0.113.0/120', true],
  ['203.0.113.7', '2001:db8::/32', false],
  ['203.0.113.7', '::/0', true],
  ['2001:db8::7', '0.0.0.0/0', false],
  ['garbage', '0.0.0.0/0', false],
  ['', '::/0', false],
  ['fe80::1%eth0', '203.0.113.0/24', false],
] as const) {
  test(`${address || 'nothing'} is ${isIn ? '' : 'not '}in ${block}`, () => {
    assert.equal(isInBlocks(address, [block]), isIn);
    assert.equal(isInBlocks(address, ['192.0.2.1', block]), isIn, 'beside another block');
  });
}

test('no block holds any address', () => {
  assert.equal(isInBlocks('203.0.113.7', []), false);
});

test('every IPv4 block holds the addresses that share its prefix, and no other, as arithmetic says', () => {
  const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
  const anyAddress = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(
      anyAddress,
      fc.integer({ min: 0, max: 32 }),
      fc.integer({ min: 0, max: 31 }),
      (network, prefix, bit) => {
        const neighbour = (network ^ (2 ** bit)) >>> 0;
        assert.equal(isInBlocks(dotted(network), [`${dotted(network)}/${prefix}`]), true);
        assert.equal(isInBlocks(dotted(neighbour), [`${dotted(network)}/${prefix}`]), bit < 32 - prefix);
      },
    ),
  );
});

for (const [inner, outer, isWithin] of [
  [[], [], true],
  [['10.0.0.1'], [], true],
  [[], ['10.0.0.0/8'], false],
  [['10.1.0.0/16', '10.2.3.4'], ['10.0.0.0/8'], true],
  [['10.1.0.0/16', '11.0.0.1'], ['10.0.0.0/8'], false],
  [['10.0.0.0/7'], ['10.0.0.0/8'], false],
  [['10.0.0.5/8'], ['10.0.0.0/16'], false],
  [['10.0.0.0/8'], ['10.0.0.0/9', '10.128.0.0/9'], false],
  [['2001:db8:1::/48'], ['2001:db8::/32'], true],
  [['::ffff:10.0.0.1'], ['10.0.0.0/8'], false],
  [['::/0'], ['10.0.0.0/8'], false],
] as const) {
  test(`[${inner}] is ${isWithin ? '' : 'not '}within [${outer}]`, () => {
    assert.equal(isWithinBlocks(inner, outer), isWithin);
  });
}

test('addresses of one customer have one home: the address of IPv4, 64 bits of IPv6', () => {
  assert.equal(homeOf('203.0.113.7'), '203.0.113.7');
  assert.equal(homeOf('::ffff:203.0.113.7'), '::ffff:203.0.113.7');
  for (const address of [
    '2001:db8:1:2::',
    '2001:DB8:1:2::9',
    '2001:0db8:0001:0002:3:4:5:6',
    '2001:db8:1:2:a::%1',
  ])
    assert.equal(homeOf(address), '2001:db8:1:2::/64', address);
  assert.equal(homeOf('::1'), '0:0:0:0::/64');
  assert.notEqual(homeOf('2001:db8:1:3::1'), homeOf('2001:db8:1:2::1'));
});
