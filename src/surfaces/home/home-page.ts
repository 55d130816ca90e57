import { type Content, type Html, html, renderDocument } from '#platform/http/html';

export interface Home {
  fault: string | undefined;
  networksWithoutNode: readonly string[];
  hasMetrics: boolean;
  section: Html | undefined;
}

/** A whole document, without personal data. */
export function renderHome({ fault, networksWithoutNode, hasMetrics, section }: Home): string {
  return renderDocument({
    title: 'Causeway',
    styles: ['/home.css'],
    body: html`<header>
<p class="brand">Causeway</p>
${renderStatus(fault, networksWithoutNode)}
</header>
<main>
<h1>Pay people, read their history, share what they allow</h1>
<p class="lead">This server pays crypto withdrawals exactly once, serves account and card history to partners
and AI agents, and lets apps read what a user consented to share.</p>
<nav aria-label="Where to go">
${renderPlace('/guides', 'Guides', 'Step by step, from the first payment to production')}
${renderPlace('/docs', 'API reference', 'Every request and answer, with examples')}
${renderPlace('/openapi.json', 'OpenAPI document', 'For code generators and API clients')}
${hasMetrics && renderPlace('/metrics', 'Metrics', 'For Prometheus; /health and /ready for balancers')}
</nav>
${section}
</main>`,
  });
}

function renderStatus(fault: string | undefined, networksWithoutNode: readonly string[]): Html {
  if (fault !== undefined) return html`<p class="status bad">Not ready: ${fault}</p>`;
  if (networksWithoutNode.length === 0) return html`<p class="status good">Ready</p>`;
  return html`<p class="status fair">Ready, but no node answers on ${networksWithoutNode.join(', ')}</p>`;
}

const renderPlace = (address: string, title: string, text: string): Content =>
  html`<a class="place" href="${address}"><strong>${title}</strong><span>${text}</span></a>`;
