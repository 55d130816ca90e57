import { resetCommand } from './reset-hint.ts';
import type { SandboxFile } from './sandbox-file.ts';
import { demoUsers } from './world/people.ts';

interface BannerFacts {
  home: string;
  elapsedMs: number;
  consentLink: string;
  consoleLink: string;
  partnerLink: string;
}

/** What `npm start` prints: addresses, keys, and commands that work as pasted. */
export function describeSandbox(
  sandbox: SandboxFile,
  { home, elapsedMs, consentLink, consoleLink, partnerLink }: BannerFacts,
): string {
  const { baseUrl, cardIssuer, consents, integrations, keys, loginToken, networks, operatorToken, users } =
    sandbox;
  const devnets = Object.entries(networks)
    .map(([name, { rpcUrl }]) => `${name} ${rpcUrl}`)
    .join('  ');
  const key = `-H 'Authorization: Bearer ${keys.full.token}'`;
  const json = "-H 'Content-Type: application/json'";
  const withdrawal = JSON.stringify({ amount: '12.5', to: users.friend.email, externalId: 'first' });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAccountBalance' } };
  const balance = JSON.stringify(call);
  const operator = `-H 'Authorization: Bearer ${operatorToken}' ${json}`;
  const login = `-H 'Authorization: Bearer ${loginToken}' ${json}`;
  return `
  Causeway sandbox, ready in ${(elapsedMs / 1000).toFixed(1)} s. Ctrl-C stops it; ${resetCommand} starts from scratch.

  Start here   ${baseUrl}/
  Guides       ${baseUrl}/guides
  API          ${baseUrl}
  MCP          ${baseUrl}/mcp
  Reference    ${baseUrl}/docs
  Metrics      ${baseUrl}/metrics
  Events       ${baseUrl}/sandbox/inbox
  Devnets      ${devnets}
  Card issuer  ${cardIssuer.url}
  Log, data    ${home}

  Keys of ${demoUsers.owner.givenName} ${demoUsers.owner.familyName} (more in sandbox.json)
  full         ${keys.full.token}
  readOnly     ${keys.readOnly.token}
  Operator     ${operatorToken}
  Integration  ${integrations.main.apiKey}

  The console, signed in as the demo operator: open this in a browser, once and within 15 minutes
  ${consoleLink}

  The partner's pages, signed in as its owner: the same, in another browser or after signing out
  ${partnerLink}

  An app asks ${demoUsers.owner.givenName} for data: open this in a browser, once and within five minutes
  ${consentLink}

  Try:
  curl -s ${baseUrl}/ready
  curl -s -X POST ${baseUrl}/api/crypto/${users.owner.id}/withdraw ${key} ${json} -d '${withdrawal}'
  curl -s '${baseUrl}/api/crypto/${users.owner.id}/withdraws?externalId=first' ${key}
  curl -s '${baseUrl}/api/history?resource=cards&feature=cards-transactions&filterByText=lisboa' ${key}
  curl -s -X POST ${baseUrl}/mcp ${key} ${json} -d '${balance}'
  curl -s -X POST ${baseUrl}/operator/wallets.show ${operator} -d '{}'
  curl -s -X POST ${baseUrl}/operator/users.list ${operator} -d '{"limit":2}'
  curl -s -X POST ${baseUrl}/operator/audit.list ${operator} -d '{"action":"keys.issue"}'
  curl -s ${baseUrl}/api/v1/consent/${consents.active}/user -H 'x-api-key: ${integrations.main.apiKey}'
  curl -s -X POST ${baseUrl}/operator/users.sign-in-link ${login} -d '{"userId":"${users.owner.id}"}'
  curl -s '${baseUrl}/api/events?limit=3' ${key}
  npx causeway withdrawals list
`;
}
