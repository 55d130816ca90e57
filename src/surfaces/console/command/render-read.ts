import type { Verdict } from '#platform/commands/command';
import type { Item } from '#platform/commands/values';
import { judge } from '#platform/commands/verdict';
import { type Content, type Html, html } from '#platform/http/html';
import { renderAnswer } from '../answer.ts';
import { type Picking, pickings } from '../bulk/bulk-commands.ts';
import { renderPick, renderPickForm } from '../bulk/pick.ts';
import { answerAddress } from '../links.ts';
import type { Visit } from '../visit.ts';
import type { CommandPage } from './command-pages.ts';
import { rowLinks } from './row-actions.ts';

/** The answer of a read, with a link to its next page or part. */
export function renderRead(visit: Visit, page: CommandPage, data: Record<string, unknown>): Content {
  const { command, typed } = page;
  const { result } = visit.words;
  const { input = 'cursor', output = 'nextCursor' } = command.parts ?? {};
  const next = data[output];
  const fields = Object.fromEntries([...typed].map(([name, values]) => [name, values[0] ?? '']));
  const address = typeof next === 'string' && answerAddress(command.name, { ...fields, [input]: next });
  const actionsOf = (row: Record<string, unknown>) =>
    rowLinks(visit, page, row).map(({ label, address }) => html`<a href="${address}">${label}</a> `);
  const own = rowLinks(visit, page, data).map(
    (link) => html`<a class="button quiet" href="${link.address}">${link.label}</a> `,
  );
  const picking = pickingOf(visit, page);
  const pickOf = (row: Item) => {
    const id = picking?.idOf(row);
    return picking && id !== undefined && renderPick(visit, picking.command, id);
  };
  const hasPicks = ((data.items ?? []) as Item[]).some(pickOf);
  const buttons = html`<button class="quiet">${visit.words.bulk.cancel}</button>`;
  return html`<section class="card" id="answer">${command.verdict && renderVerdict(visit, command.verdict, data)}
${renderAnswer({ reader: visit, command, actionsOf, pickOf }, data)}
${picking && hasPicks && renderPickForm(visit, picking.command, { buttons })}
${own.length > 0 && html`<p class="actions">${own}</p>`}
${address && html`<p><a class="button" href="${address}" rel="next">${command.parts ? result.nextPart : result.next}</a></p>`}</section>`;
}

/** What can be done with several rows of this list, if the person may. */
function pickingOf(visit: Visit, { command, byName }: CommandPage): Picking | undefined {
  const picking = pickings[command.name];
  return picking && visit.may(byName.get(picking.command)!) ? picking : undefined;
}

function renderVerdict({ words }: Visit, verdict: Verdict, data: Record<string, unknown>): Html {
  const { hasFault, text } = judge(verdict, data);
  const { passed, failed } = words.result;
  return html`<p class="note ${hasFault ? 'bad' : 'good'}"><strong>${hasFault ? failed : passed}</strong> <span lang="en">${text}</span></p>`;
}
