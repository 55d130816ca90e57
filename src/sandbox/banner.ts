import { bold, dim, good } from '#platform/values/text-style';
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
  const { baseUrl, cardIssuer, consents, integrations, keys, networks, operatorToken, users } = sandbox;
  const { givenName, familyName } = demoUsers.owner;
  const devnets = Object.entries(networks)
    .map(([name, { rpcUrl }]) => `${name} ${rpcUrl}`)
    .join('  ');
  const withdrawal = JSON.stringify({ amount: '12.5', to: users.friend.email, externalId: 'first' });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAccountBalance' } };
  return `
  ${good(`Causeway sandbox, ready in ${(elapsedMs / 1000).toFixed(1)} s`)}
  ${dim(`Ctrl-C stops it, ${resetCommand} starts from scratch`)}

  ${bold('Start here')}   ${bold(`${baseUrl}/`)}
  Guides       ${baseUrl}/guides
  API          ${baseUrl}
  MCP          ${baseUrl}/mcp
  Reference    ${baseUrl}/docs
  Metrics      ${baseUrl}/metrics
  Events       ${baseUrl}/sandbox/inbox
  Devnets      ${devnets}
  Card issuer  ${cardIssuer.url}
  Log, data    ${home}

  ${bold(`Keys of ${givenName} ${familyName}`)} ${dim('(more in sandbox.json)')}
  full         ${keys.full.token}
  readOnly     ${keys.readOnly.token}
  Operator     ${operatorToken}
  Integration  ${integrations.main.apiKey}

  ${bold('Sign in')} ${dim('by opening a link in a browser, once; the first two not in the same browser')}
  ${dim('The console, as the demo operator, within 15 minutes')}
  ${consoleLink}
  ${dim('The partner’s pages, as its owner, within 15 minutes')}
  ${partnerLink}
  ${dim(`As ${givenName}, when an app asks for data, within five minutes`)}
  ${consentLink}

  ${bold('Try')} ${dim('in another terminal, after pasting these names:')}
  URL=${baseUrl} ANA=${users.owner.id} JSON='Content-Type: application/json'
  KEY='Authorization: Bearer ${keys.full.token}'

  ${dim(`Pay ${demoUsers.friend.givenName}, and see how far it is`)}
  curl -s $URL/api/crypto/$ANA/withdraw -H "$KEY" -H "$JSON" -d '${withdrawal}'
  curl -s "$URL/api/crypto/$ANA/withdraws?externalId=first" -H "$KEY"
  ${dim('The newest events, and card payments in Lisbon')}
  curl -s "$URL/api/events?limit=3" -H "$KEY"
  curl -s "$URL/api/history?resource=cards&feature=cards-transactions&filterByText=lisboa" -H "$KEY"
  ${dim('The balance, as an agent asks for it')}
  curl -s $URL/mcp -H "$KEY" -H "$JSON" -d '${JSON.stringify(call)}'
  ${dim(`What ${givenName} shares with an app`)}
  curl -s $URL/api/v1/consent/${consents.active}/user -H 'x-api-key: ${integrations.main.apiKey}'
  ${dim('As an operator, from this folder')}
  npx causeway wallets show
  npx causeway withdrawals list
`;
}
