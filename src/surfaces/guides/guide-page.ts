import { type Content, type Html, html, renderDocument } from '#platform/http/html';
import type { Hit } from './search.ts';

export interface GuidePage {
  title: string;
  query?: string;
  content: Content;
}

/** A whole document around a guide, the list of guides, or what a search found. */
export function renderPage({ title, query = '', content }: GuidePage): string {
  return renderDocument({
    title: `${title} · Causeway`,
    styles: ['/home.css', '/guides.css'],
    body: html`<header>
<p class="brand"><a href="/">Causeway</a> <a href="/guides">Guides</a></p>
<form role="search" action="/guides" method="get">
<input type="search" name="q" value="${query}" maxlength="100" aria-label="Search the guides" placeholder="Search the guides">
<button>Search</button>
</form>
</header>
<main class="guide">
${content}
</main>`,
  });
}

export function renderHits(query: string, hits: readonly Hit[]): Html {
  if (hits.length === 0)
    return html`<h1>Nothing found</h1>
<p>No section has all of these words: ${query}. Try fewer words, or see <a href="/guides">all guides</a>.</p>`;
  return html`<h1>Found for “${query}”</h1>
<ol class="hits">
${hits.map(renderHit)}
</ol>`;
}

const renderHit = ({ guide, heading, anchor, excerpt }: Hit): Html => html`<li>
<a href="/guides/${guide.name}#${anchor}"><strong>${heading}</strong></a> <span class="hint">${guide.title}</span>
<p>${excerpt.map((piece, at) => (at % 2 === 1 ? html`<mark>${piece}</mark>` : piece))}</p>
</li>`;

export const renderUnknown = (): Html => html`<h1>No such guide</h1>
<p>See <a href="/guides">all guides</a>, or search for a word.</p>`;
