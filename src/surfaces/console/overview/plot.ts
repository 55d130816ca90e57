import { type Html, html } from '#platform/http/html';
import type { Reader } from '../visit.ts';
import type { Activity } from '../wallets/read-wallets.ts';

const [width, height, gap, base] = [720, 160, 4, 24];

/** Bars of payouts for each hour, with the same figures as a table for readers of text. */
export function renderPlot({ words }: Reader, { hours }: Activity): Html {
  const { perHour, hour, completed, table } = words.overview;
  const highest = Math.max(1, ...hours.map(({ settled }) => settled));
  const isEmpty = hours.every(({ settled }) => settled === 0);
  const step = width / hours.length;
  const bars = hours.map(({ settled }, at) => {
    const tall = Math.round((settled / highest) * (height - base - 16));
    return html`<rect x="${at * step + gap / 2}" y="${height - base - tall}" width="${step - gap}" height="${tall}" rx="2"/>`;
  });
  const marks = hours.flatMap((one, at) =>
    at % 6 === 0
      ? [html`<text x="${at * step + gap / 2}" y="${height - 6}">${one.hour.slice(11, 16)}</text>`]
      : [],
  );
  return html`<section class="card" id="per-hour" data-live><h2>${perHour}</h2>
<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${perHour}: ${hours.map(({ settled }) => settled).join(', ')}">
<line x1="0" y1="${height - base}" x2="${width}" y2="${height - base}"/>${bars}${isEmpty ? '' : html`<text x="0" y="12">${highest}</text>`}${marks}</svg>
<details><summary>${table}</summary><table><thead><tr><th scope="col">${hour}</th><th scope="col" class="number">${completed}</th></tr></thead>
<tbody>${hours.map((one) => html`<tr><td>${one.hour.slice(0, 16).replace('T', ' ')}</td><td class="number">${one.settled}</td></tr>`)}</tbody></table></details></section>`;
}
