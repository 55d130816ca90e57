import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOutgoing, type OutgoingPolicy } from './index.ts';

const production: OutgoingPolicy = { allowsLoopbackHttp: false, ports: [443, 8443], allowedBlocks: [] };
const sandbox = { ...production, allowsLoopbackHttp: true };
const own = { ...production, allowedBlocks: ['10.0.0.0/8'] };

const notPublic = 'This address is not allowed: it is not a public address.';
const privateName = 'The host must be a public name, such as hooks.example.com.';
const notHttps = 'The URL must start with https://.';
const notValid = 'The URL is not valid: write one such as https://hooks.example.com/path.';
const credentials = 'The URL must have no user name or password before its host.';

for (const [policyName, policy, url, message] of [
  ['production', production, 'https://hooks.example.com/in?tenant=7', undefined],
  ['production', production, 'https://hooks.example.com:8443/', undefined],
  ['production', production, 'https://HOOKS.Example.COM', undefined],
  ['production', production, 'https://bücher.example/', undefined],
  ['production', production, 'https://1.1.1.1/', undefined],
  ['production', production, 'https://[2606:4700::1111]/', undefined],
  ['production', production, 'https://no-such-name.example.com/', undefined],
  ['production', production, `https://hooks.example.com/${'x'.repeat(2_022)}`, undefined],
  [
    'production',
    production,
    `https://hooks.example.com/${'x'.repeat(2_023)}`,
    'The URL must have at most 2048 characters.',
  ],
  ['production', production, '', notValid],
  ['production', production, '/path', notValid],
  ['production', production, 'https://', notValid],
  ['production', production, 'https://256.1.1.1/', notValid],
  ['production', production, 'https://[fe80::1%25eth0]/', notValid],
  ['production', production, 'https://hooks.example.com:99999/', notValid],
  ['production', production, 'http://hooks.example.com/', notHttps],
  ['production', production, 'http://127.0.0.1/', notHttps],
  ['production', production, 'ftp://hooks.example.com/', notHttps],
  ['production', production, 'file:///etc/passwd', notHttps],
  ['production', production, 'gopher://127.0.0.1:25/', notHttps],
  ['production', production, 'https://hooks.example.com:22/', 'Port 22 is not allowed: use 443 or 8443.'],
  ['production', production, 'https://hooks.example.com:80/', 'Port 80 is not allowed: use 443 or 8443.'],
  ['production', production, 'https://hooks.example.com:0/', 'Port 0 is not allowed: use 443 or 8443.'],
  ['production', production, 'https://me:pass@hooks.example.com/', credentials],
  ['production', production, 'https://hooks.example.com@127.0.0.1/', credentials],
  [
    'production',
    production,
    'https://hooks.example.com/#top',
    'The URL must have no fragment: remove # and what follows it.',
  ],
  ['production', production, 'https://127.0.0.1/', notPublic],
  ['production', production, 'https://127.0.0.1\\@hooks.example.com/', notPublic],
  ['production', production, 'https://127.0.0.1\t/', notPublic],
  ['production', production, 'https://[::1]/', notPublic],
  ['production', production, 'https://localhost/', privateName],
  ['production', production, 'https://hooks/', privateName],
  ['production', production, 'https://printer.LOCAL/', privateName],
  ['production', production, 'https://metadata.google.internal/', privateName],
  ['production', production, 'https://router.home.arpa/', privateName],
  ['production', production, 'https://hooks.example.com./', 'The host must not end with a dot.'],
  ['sandbox', sandbox, 'http://127.0.0.1:3000/hooks', undefined],
  ['sandbox', sandbox, 'http://127.8.9.1:80/', undefined],
  ['sandbox', sandbox, 'http://[::1]:3000/', undefined],
  ['sandbox', sandbox, 'http://localhost:3000/', undefined],
  ['sandbox', sandbox, 'https://hooks.example.com/', undefined],
  ['sandbox', sandbox, 'http://me:pass@localhost:3000/', credentials],
  ['sandbox', sandbox, 'http://app.localhost:3000/', notHttps],
  ['sandbox', sandbox, 'http://localhost.:3000/', notHttps],
  ['sandbox', sandbox, 'http://hooks.example.com/', notHttps],
  ['sandbox', sandbox, 'http://10.0.0.1/', notHttps],
  ['sandbox', sandbox, 'http://0.0.0.0:3000/', notHttps],
  ['sandbox', sandbox, 'http://[::ffff:127.0.0.1]:3000/', notHttps],
  ['sandbox', sandbox, 'https://127.0.0.1:3000/', 'Port 3000 is not allowed: use 443 or 8443.'],
  ['sandbox', sandbox, 'https://localhost/', privateName],
  ['own blocks', own, 'https://10.1.2.3/', undefined],
  ['own blocks', own, 'https://hooks/', undefined],
  ['own blocks', own, 'https://hooks.corp.internal/', undefined],
  ['own blocks', own, 'https://192.168.0.1/', notPublic],
  ['own blocks', own, 'https://localhost/', privateName],
  ['own blocks', own, 'http://10.1.2.3/', notHttps],
] as const) {
  const shown = url.length > 80 ? `${url.length} characters` : JSON.stringify(url);
  test(`${message ? 'refused' : 'allowed'} (${policyName}): ${shown}`, () => {
    assert.equal(createOutgoing(policy).refusal(url), message);
  });
}
