import { type StatementVerdict, spellingOf } from '#features/ledger/statement';
import { type Content, html } from '#platform/http/html';
import { type Reader, renderPage, textsFor } from './page.ts';

/** What the ledger says about a statement, for the reader to compare with what the statement says. */
export function renderStatementVerdict(reader: Reader, verdict: StatementVerdict): string {
  const words = textsFor(reader).statement;
  if (!verdict.isMatch) return renderCard(reader, words.differs, html`<p>${words.differsHint}</p>`);
  const { number, startAt, endAt, lastNumber, lastHash, balances } = verdict;
  const spelling = spellingOf(reader.language === 'pt-BR' ? 'pt' : 'en');
  const fact = (name: string, value: Content) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const amounts = balances.map(({ currency, network, decimals, opening, closing }) => {
    const [before, after] = [opening, closing].map((amount) => spelling.amount(amount, decimals, 2));
    return fact(`${currency}, ${network}`, `${before} → ${after}`);
  });
  return renderCard(
    reader,
    words.matches,
    html`<p>${words.compare}</p>
<dl class="facts">
${fact(words.number, number)}
${fact(words.period, spelling.period(startAt, endAt))}
${fact(words.head, lastHash === '' ? words.noLines : html`${spelling.count(lastNumber)} <code>${lastHash}</code>`)}
</dl>
<section><h2>${words.balances}</h2>
${amounts.length > 0 ? html`<dl class="facts">${amounts}</dl>` : html`<p class="hint">${words.noBalances}</p>`}</section>`,
  );
}

/** For a statement on paper. */
export function renderStatementForm(reader: Reader): string {
  const { ask, askHint, code, check } = textsFor(reader).statement;
  return renderCard(
    reader,
    ask,
    html`<p>${askHint}</p>
<form method="get" action="/statements/verify"><label>${code} <input name="code" required maxlength="200" autocomplete="off" spellcheck="false"></label>
<button>${check}</button></form>`,
  );
}

function renderCard(reader: Reader, title: string, body: Content): string {
  return renderPage(reader, { title, body: html`<div class="card message"><h1>${title}</h1>${body}</div>` });
}
