import { type Html, html } from '#platform/http/html';
import { showDuration } from '#platform/values/duration';
import type { Reader } from '../visit.ts';
import type { Activity } from '../wallets/read-wallets.ts';

const [width, height, gap, base] = [720, 160, 4, 24];

/** A bar an hour up to the median, a mark below which 95 of 100 are, and the same figures as a table. */
export function renderLatency({ words }: Reader, { hours }: Activity): Html | false {
  const { latency, hour, median, p95, table } = words.overview;
  const known = hours.filter(({ p95Seconds }) => p95Seconds !== null);
  if (known.length === 0) return false;
  const highest = Math.max(1, ...known.map(({ p95Seconds }) => p95Seconds!));
  const step = width / hours.length;
  const tall = (seconds: number) => Math.round((seconds / highest) * (height - base - 16));
  const bars = hours.map(({ medianSeconds, p95Seconds }, at) => {
    if (medianSeconds === null || p95Seconds === null) return '';
    const [x, wide, floor] = [at * step + gap / 2, step - gap, height - base];
    const mark = floor - tall(p95Seconds);
    return html`<rect x="${x}" y="${floor - tall(medianSeconds)}" width="${wide}" height="${tall(medianSeconds)}" rx="2"/><line class="mark" x1="${x}" y1="${mark}" x2="${x + wide}" y2="${mark}"/>`;
  });
  const marks = hours.flatMap((one, at) =>
    at % 6 === 0 ? [html`<text x="${at * step}" y="${height - 6}">${one.hour.slice(11, 16)}</text>`] : [],
  );
  const show = (seconds: number | null) => (seconds === null ? '–' : showDuration(seconds));
  const last = known.at(-1)!;
  const words95 = `${median} ${show(last.medianSeconds)}, ${p95} ${show(last.p95Seconds)}`;
  return html`<section class="card" id="latency" data-live><h2>${latency}</h2>
<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${latency}: ${words95}">
<line x1="0" y1="${height - base}" x2="${width}" y2="${height - base}"/>${bars}<text x="0" y="12">${showDuration(highest)}</text>${marks}</svg>
<p class="soft">▮ ${median}, — ${p95}</p>
<details><summary>${table}</summary><table><thead><tr><th scope="col">${hour}</th><th scope="col" class="number">${median}</th><th scope="col" class="number">${p95}</th></tr></thead>
<tbody>${hours.map((one) => html`<tr><td>${one.hour.slice(0, 16).replace('T', ' ')}</td><td class="number">${show(one.medianSeconds)}</td><td class="number">${show(one.p95Seconds)}</td></tr>`)}</tbody></table></details></section>`;
}
