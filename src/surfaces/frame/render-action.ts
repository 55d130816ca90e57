import { type PersonSession, passkeyScript, renderStepUp } from '#features/people';
import { type Content, type Html, html } from '#platform/http/html';
import { csrfTokenOf } from '#platform/pages/csrf';
import type { Reader } from './reader.ts';

export const renderCsrf = ({ secret }: PersonSession): Html =>
  html`<input type="hidden" name="csrf" value="${csrfTokenOf(secret)}">`;

export interface Action {
  /** Where the form is sent. */
  to: string;
  label: string;
  /** Values that the form carries. */
  hidden?: Readonly<Record<string, string>>;
  /** From `issueOnce`, if the form may be sent once. */
  once?: string;
  /** It runs only within five minutes of a passkey. */
  stepUp?: boolean;
  fields?: Content;
  isQuiet?: boolean;
}

type SignedIn = Reader & { session: PersonSession };

/** What a page with this action needs besides the script of the frame. */
export const scriptsOf = ({ session }: SignedIn, { stepUp }: Pick<Action, 'stepUp'>): string[] =>
  stepUp && !session.isFresh ? [passkeyScript] : [];

/** A form that does something. If it needs a fresh passkey, the button for it sends the form afterwards. */
export function renderAction(reader: SignedIn, action: Action): Html {
  const { session, language, frame } = reader;
  const { to, label, hidden = {}, once, stepUp, fields, isQuiet } = action;
  const needsPasskey = stepUp === true && !session.isFresh;
  const all = once === undefined ? hidden : { ...hidden, once };
  const form = html`<form id="send" class="command" method="post" action="${to}">${renderCsrf(session)}${Object.entries(
    all,
  ).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${fields}<p><button${(isQuiet || needsPasskey) && html` class="quiet"`}>${label}</button></p></form>`;
  if (!needsPasskey) return html`${form}`;
  return html`<p class="note">${frame.stepUp}</p>${form}${renderStepUp(session, language, 'send')}`;
}
