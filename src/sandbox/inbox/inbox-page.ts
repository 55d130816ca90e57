import { type Html, html, renderDocument } from '#platform/http/html';
import type { InboxMessage } from './inbox.ts';
import type { Verification } from './verify-signature.ts';

/** A page that shows events as they arrive; its script adds those that come later. */
export function renderInbox(messages: readonly InboxMessage[]): string {
  return renderDocument({
    title: 'Inbox – Causeway sandbox',
    styles: ['/home.css', '/sandbox/inbox.css'],
    body: html`<header>
<p class="brand"><a href="/">Causeway</a></p>
<p class="status good" id="live">Live</p>
</header>
<main>
<h1>Inbox</h1>
<p class="lead">The demo partner has a webhook endpoint here. Each event shows up as it arrives, with the
result of its verification.</p>
<p class="hint">Try it: <a href="/">pay somebody</a>, or run
<code>npx causeway sandbox simulate</code>. To forward the same events to your own program, run
<code>npx causeway listen --forward http://localhost:3000/hooks</code>.</p>
<p id="empty"${messages.length > 0 && html` hidden`}>Nothing has arrived since the start.</p>
<ol id="messages" class="messages" data-last="${messages[0]?.number ?? 0}">
${messages.map(renderMessage)}
</ol>
</main>
<script src="/sandbox/inbox/live.js"></script>`,
  });
}

export const renderMessage = ({ receivedAt, type, eventId, verification, body }: InboxMessage): Html =>
  html`<li><details><summary><time datetime="${receivedAt}">${receivedAt.slice(11, 19)}</time>
<strong>${type}</strong> ${renderVerdict(verification)} <code>${eventId}</code></summary>
<pre>${prettyOf(body)}</pre></details></li>
`;

function renderVerdict({ hmac, ed25519, isFresh }: Verification): Html {
  if (hmac && ed25519 && isFresh) return html`<span class="verdict good">Signature valid (v1, v1a)</span>`;
  const faults = [
    !hmac && 'v1 is invalid',
    !ed25519 && 'v1a is invalid',
    !isFresh && 'the timestamp is old',
  ].filter((fault) => fault !== false);
  return html`<span class="verdict bad">Not valid: ${faults.join(', ')}</span>`;
}

function prettyOf(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
