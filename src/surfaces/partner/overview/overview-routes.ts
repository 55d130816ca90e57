import { html } from '#platform/http/html';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';

/** `/partner`. */
export function overviewRoutes({ page }: Mount): void {
  page('', async ({ visit }) => {
    const { overview } = visit.words;
    return renderPage(visit, {
      title: overview.title,
      body: html`<h1>${overview.title}</h1>
<div class="card"><dl class="facts"><div><dt>${overview.role}</dt><dd>${visit.role}</dd></div></dl></div>`,
    });
  });
}
