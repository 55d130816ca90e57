import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { makeKey } from '#test/data/factories';
import { useHarness } from '#test/harness';

describe('behind trusted proxies the right hop of X-Forwarded-For is the caller', () => {
  const proxied = useHarness({ trustedProxies: ['127.0.0.1/32', '10.0.0.0/8', '2001:db8:ffff::/48'] });
  const partner = '203.0.113.7';
  const cases: [verdict: 'let in' | 'refused', what: string, forwardedFor: string][] = [
    ['let in', 'one hop', partner],
    ['let in', 'IPv6', '2001:db8::7'],
    ['let in', 'IPv4 mapped into IPv6', `::ffff:${partner}`],
    ['let in', 'a second trusted proxy', `${partner}, 10.1.2.3`],
    ['let in', 'a second trusted proxy, mapped', `${partner}, ::ffff:10.1.2.3`],
    ['let in', 'a second trusted proxy, IPv6', `${partner},2001:db8:ffff::1`],
    ['let in', 'whatever the caller wrote further left', `garbage, 198.51.100.1, ${partner}`],
    ['refused', 'another address', '198.51.100.1'],
    ['refused', 'another IPv6 address', '2001:db9::7'],
    ['refused', 'a spoofed left-most hop', `${partner}, 198.51.100.1`],
    ['refused', 'a spoofed left-most hop before a trusted proxy', `${partner}, 198.51.100.1, 10.1.2.3`],
    ['refused', 'garbage in the place of the caller', `${partner}, garbage`],
    ['let in', 'a port', `${partner}:50123`],
    ['let in', 'IPv6 with a port', '[2001:db8::7]:50123'],
    ['let in', 'IPv6 in brackets', '[2001:db8::7]'],
    ['let in', 'a second trusted proxy with a port', `${partner}:443, 10.1.2.3:8080`],
    ['refused', 'another address with a port', '198.51.100.1:443'],
    ['refused', 'a port that is not a number', `${partner}:https`],
    ['refused', 'garbage before a trusted proxy', `${partner}, ${partner}:, 10.1.2.3`],
    ['refused', 'an IPv4 address with leading zeros', '203.000.113.007'],
    ['refused', 'an IPv4 address as one number', '3405803783'],
    ['refused', 'an empty header', ''],
  ];
  let token: string;
  before(async () => {
    ({ token } = await makeKey(proxied, { ipAllowlist: ['203.0.113.0/24', '2001:db8::/48'] }));
  });
  for (const [verdict, what, forwardedFor] of cases) {
    test(`${verdict === 'let in' ? '' : '403 '}${verdict}: ${what}`, async () => {
      const headers = { 'x-forwarded-for': forwardedFor };
      const { status } = await proxied.request('GET', '/api/history', { token, headers });
      // A caller who is let in meets the rate limit or learns that the query is empty.
      assert.ok((verdict === 'let in' ? [400, 429] : [403]).includes(status), `status ${status}`);
    });
  }
});
