import { type Content, type Html, html } from '#platform/http/html';
import type { SandboxFacts } from '../sandbox-file.ts';
import { simulationList } from './simulation-list.ts';

/** Everything on it works as it is: the buttons, and the lines to copy. */
export function renderTour(sandbox: SandboxFacts, origin: string): Html {
  const { keys, users, operatorToken, integrations, consents } = sandbox;
  const auth = `-H 'Authorization: Bearer ${keys.full.token}'`;
  const json = "-H 'Content-Type: application/json'";
  const owner = `${origin}/api/crypto/${users.owner.id}`;
  const payment = JSON.stringify({ amount: '12.5', to: users.friend.email, externalId: 'my-first' });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'getAccountBalance' } };
  return html`<section id="tour" data-key="${keys.full.token}" data-operator="${operatorToken}"
 data-app="${integrations.main.apiKey}" data-owner="${users.owner.id}" data-friend="${users.friend.email}"
 data-consent="${consents.active}">
<h2>Take the tour</h2>
<p class="hint">This is a sandbox: three test networks, a card issuer and eighteen months of demo data, all on this
machine. Ana Ribeiro is the main user. Nothing here is real money.</p>
<ol class="steps">
${renderStep({
  id: 'pay',
  title: 'Pay somebody',
  text: html`Ana pays Bruno 12.50 USDT. The answer comes at once; a worker pays on the polygon test network.`,
  button: 'Pay Bruno 12.50 USDT',
  curl: `curl -s -X POST ${owner}/withdraw ${auth} ${json} -d '${payment}'`,
})}
${renderStep({
  id: 'watch',
  title: 'Watch it settle',
  text: html`From queued to completed takes a few seconds: it is final two blocks after it was mined.`,
  button: 'Watch the last payment',
  curl: `curl -s '${owner}/withdraws?perPage=1' ${auth}`,
})}
${renderStep({
  id: 'history',
  title: 'Read history',
  text: html`The same payment is in Ana’s ledger, above about 1,500 others. Partners also download statements.`,
  button: 'Read the newest lines',
  curl: `curl -s '${origin}/api/history?resource=account&feature=account&pageSize=10' ${auth}`,
})}
${renderStep({
  id: 'agent',
  title: 'Ask as an agent',
  text: html`AI agents use the same data as MCP tools. This calls one; the line connects Claude Code.`,
  button: 'Call getAccountBalance',
  curl: `curl -s ${origin}/mcp ${auth} ${json} -d '${JSON.stringify(call)}'\nclaude mcp add --transport http causeway ${origin}/mcp --header "Authorization: Bearer ${keys.full.token}"`,
})}
${renderStep({
  id: 'share',
  title: 'Share data',
  text: html`Lumen Credit asks Ana for her profile. Decide on the page that opens, as Ana; then read as the app.`,
  button: 'Open the request as Ana',
  second: 'Read as Lumen Credit',
  curl: `curl -s ${origin}/api/v1/consent/${consents.active}/user -H 'x-api-key: ${integrations.main.apiKey}'`,
})}
</ol>
<h2>Keys of the demo</h2>
<div class="table"><table>
${renderKey('Ana, every scope', keys.full.token)}
${renderKey('Ana, reading only', keys.readOnly.token)}
${renderKey('Bruno', keys.friend.token)}
${renderKey('Mar Verde, a company', keys.business.token)}
${renderKey('Operator', operatorToken)}
${renderKey('Lumen Credit, an app', integrations.main.apiKey)}
</table></div>
<p class="hint">More are in <code>sandbox.json</code>: keys that are expired, revoked or suspended, and the ids of
withdrawals, cards, consents and ledger lines.</p>
<h2>See what happens when something goes wrong</h2>
<p class="hint">Also <code>npx causeway sandbox simulate &lt;name&gt;</code>. What is changed is put back after 20 seconds.
Two withdrawals of the demo on ethereum never finish: one waits for gas, and one offers a fee that is too low.</p>
<div class="table"><table>
${Object.entries(simulationList).map(
  ([name, text]) =>
    html`<tr><th scope="row">${name}</th><td>${text}</td><td class="tool"><button class="quiet" data-simulate="${name}">Run</button></td></tr>`,
)}
</table></div>
<output id="simulated"></output>
</section>
<script src="/sandbox/tour.js"></script>`;
}

interface Step {
  id: string;
  title: string;
  text: Content;
  button: string;
  second?: string;
  curl: string;
}

const renderStep = ({ id, title, text, button, second, curl }: Step) => html`<li>
<h3>${title}</h3>
<p>${text}</p>
<div class="row"><button data-step="${id}">${button}</button>${second && html`<button class="quiet" data-step="${id}-second">${second}</button>`}</div>
<output id="${id}"></output>
<details><summary>The same in a terminal</summary><pre>${curl}</pre><div class="row"><button class="quiet" data-copy="${curl}">Copy</button></div></details>
</li>`;

const renderKey = (whose: string, token: string) =>
  html`<tr><th scope="row">${whose}</th><td><code>${token}</code></td><td class="tool"><button class="quiet" data-copy="${token}">Copy</button></td></tr>`;
