import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressCheck } from './addresses.ts';

/** First and last address of each range, and the public ones next to it; `-`: the neighbour is special. */
const ranges = [
  ['0.0.0.0', '0.255.255.255', '-', '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', '-'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '-', '2000::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff:ffff::', '-'],
] as const;

for (const [first, last, before, after] of ranges) {
  test(`${first} to ${last} is refused, and its neighbours are public`, () => {
    const isAllowed = addressCheck([]);
    assert.deepEqual([first, last].map(isAllowed), [false, false]);
    for (const neighbour of [before, after])
      if (neighbour !== '-') assert.ok(isAllowed(neighbour), neighbour);
  });
}

test('what is not an address is refused', () => {
  for (const text of ['', 'localhost', '127.1', '1.1.1.1 ', '1.1.1.1/32', '[2600::1]'])
    assert.equal(addressCheck([])(text), false, text);
});

test('a block of the operator allows its addresses, and no others', () => {
  const isAllowed = addressCheck(['10.1.0.0/16', 'fd00::/8', '127.0.0.1']);
  for (const address of ['10.1.0.0', '10.1.255.255', 'fd00::1', 'fdff::1', '127.0.0.1', '1.1.1.1', '2600::1'])
    assert.equal(isAllowed(address), true, address);
  for (const address of ['10.0.255.255', '10.2.0.0', 'fc00::1', '127.0.0.2', '::1', '::ffff:10.1.0.1'])
    assert.equal(isAllowed(address), false, address);
});

test('no block allows metadata services, link-local and IPv4-mapped addresses', () => {
  const isAllowed = addressCheck(['0.0.0.0/0', '::/0']);
  const never = ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'];
  for (const address of [...never, 'fd20:ce::254', 'fe80::1', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe'])
    assert.equal(isAllowed(address), false, address);
  for (const address of ['127.0.0.1', '10.0.0.1', '::1', 'fd00::1', '64:ff9b::101:101'])
    assert.equal(isAllowed(address), true, address);
});

test('a block of one family allows nothing of the other', () => {
  assert.equal(addressCheck(['::/0'])('10.0.0.1'), false);
  assert.equal(addressCheck(['0.0.0.0/0'])('::1'), false);
});
