import type { Ctx } from '#context';
import type { ListedDeposit } from '#features/deposits';
import type { Command } from '#platform/commands/command';
import type { Item } from '#platform/commands/values';
import { commonErrors } from '#platform/errors/errors';
import { type Content, type Html, html } from '#platform/http/html';
import { sanitizeText } from '#platform/values/sanitize-text';
import { renderAnswer, renderTable } from '../answer.ts';
import { auditAddress } from '../audit/audit-page.ts';
import { renderList } from '../deposits/deposits-page.ts';
import { type LedgerState, ledgerAddress, renderState } from '../ledger/ledger-pages.ts';
import { addressOf, answerAddress, formAddress } from '../links.ts';
import type { Mount } from '../mount.ts';
import { renderPage } from '../page.ts';
import type { Visit } from '../visit.ts';
import { lifeAddress } from './life-page.ts';

const limit = 10;

/** What the page shows, in this order: the answer of a command about the user. */
const parts = [
  ['balances', 'ledger.balances', (userId: string) => ({ userId })],
  ['withdrawals', 'withdrawals.list', (user: string) => ({ user, limit })],
  ['deposits', 'deposits.list', (userId: string) => ({ userId, limit })],
  ['cards', 'cards.list', (userId: string) => ({ userId, limit })],
  ['consents', 'consents.list', (userId: string) => ({ userId, limit })],
  ['audit', 'audit.list', (userId: string) => ({ subject: `user:${userId}`, limit })],
] as const;

/** What a person may do to the user, if their role allows it. */
const actions = [
  'users.update',
  'users.suspend',
  'users.resume',
  'ledger.fund',
  'ledger.verify',
  'ledger.statement',
];

/** `/console/users/<id>`. */
export function userRoutes({ page, options }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  page('/users/:id', async ({ visit, call, request }) => {
    const { id: userId } = request.params as { id: string };
    const { data } = await call('users.list', { userId });
    const [user] = data.items as Item[];
    if (!user) throw commonErrors.notFound();
    const shown = await Promise.all(
      parts.map(async ([title, name, inputOf]) => {
        const answer = await call(name, inputOf(userId));
        return renderPart(visit, {
          title,
          command: byName.get(name)!,
          input: inputOf(userId),
          data: answer.data,
        });
      }),
    );
    const verdicts = await call('ledger.verdicts', { userId });
    const [ledger] = verdicts.data.items as LedgerState[];
    return renderUser(visit, byName, user, { shown, ledger: ledger! });
  });
}

interface Part {
  title: (typeof parts)[number][0];
  command: Command<Ctx>;
  input: object;
  data: Item;
}

function renderPart(visit: Visit, { title, command, input, data }: Part): Html {
  const fields = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));
  const isOfDeposits = command.name === 'deposits.list';
  const address = isOfDeposits
    ? addressOf('/console/deposits', { userId: fields.userId! })
    : command.name === 'audit.list'
      ? auditAddress({ subject: fields.subject! })
      : answerAddress(command.name, fields);
  const table = isOfDeposits
    ? renderList(visit, data.items as ListedDeposit[])
    : renderTable({ reader: visit, command }, data.items as Item[]);
  return html`<section class="card" id="${title}"><h2><a href="${address}">${visit.words.user[title]}</a></h2>
${table}</section>`;
}

function renderUser(
  visit: Visit,
  byName: ReadonlyMap<string, Command<Ctx>>,
  { wallets, ...facts }: Item,
  { shown, ledger }: { shown: Content; ledger: LedgerState },
): string {
  const { user: words } = visit.words;
  const command = byName.get('users.list')!;
  const title = sanitizeText(`${facts.givenName} ${facts.familyName}`);
  const isSuspended = facts.suspendedAt !== null;
  const links = actions
    .filter(
      (name) => name !== (isSuspended ? 'users.suspend' : 'users.resume') && visit.may(byName.get(name)!),
    )
    .map((name) => {
      const address = formAddress(name, { userId: String(facts.id) });
      return html`<a class="button quiet" lang="en" href="${address}">${name.replace('.', ' ')}</a> `;
    });
  return renderPage(visit, {
    title,
    body: html`<h1>${title}</h1>
<p class="actions"><a class="button" href="${lifeAddress(String(facts.id))}">${visit.words.life.link}</a> ${links}</p>
<p>${words.ledger}: <a href="${ledgerAddress(String(facts.id))}">${renderState(visit, ledger.verdict)}</a></p>
<section class="card"><h2>${words.facts}</h2>${renderAnswer({ reader: visit, command }, facts)}</section>
<section class="card"><h2>${words.wallets}</h2>${renderTable({ reader: visit, command: { ...command, columns: [] } }, wallets as Item[])}</section>
${shown}`,
  });
}
