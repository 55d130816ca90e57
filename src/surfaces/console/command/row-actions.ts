import { formAddress } from '../links.ts';
import type { Texts } from '../texts/index.ts';
import type { Visit } from '../visit.ts';
import type { CommandPage } from './command-pages.ts';

/** A command that somebody runs next on a row of an answer, with fields filled in. */
interface RowAction {
  label: string;
  command: string;
  fields: Record<string, string>;
}

export interface RowLink {
  label: string;
  address: string;
}

type Row = Record<string, unknown>;

const finders: Readonly<Record<string, (row: Row, words: Texts) => RowAction[]>> = {
  'approvals.list': decide,
  'approvals.show': decide,
  'payouts.list-pauses': resume,
};

/** Links to forms for a row, of commands that the person may run. */
export function rowLinks(visit: Visit, { command, byName }: CommandPage, row: Row): RowLink[] {
  const actions = finders[command.name]?.(row, visit.words) ?? [];
  return actions
    .filter((action) => visit.may(byName.get(action.command)!))
    .map((action) => ({ label: action.label, address: formAddress(action.command, action.fields) }));
}

function decide({ id, status }: Row, { rows }: Texts): RowAction[] {
  if (status !== 'pending') return [];
  const action = (decision: 'approve' | 'refuse') => ({
    label: rows[decision],
    command: 'approvals.decide',
    fields: { id: String(id), decision },
  });
  return [action('approve'), action('refuse')];
}

const targets: Readonly<Record<string, string>> = {
  network: 'network',
  partner: 'partnerId',
  user: 'userId',
};

/** A scope is `everything`, or what it is about and its name: `network:polygon`. */
function resume({ scope, isPaused }: Row, words: Texts): RowAction[] {
  if (!isPaused) return [];
  const [kind = '', name = ''] = String(scope).split(':');
  const target = targets[kind];
  const fields = target === undefined ? {} : { [target]: name };
  return [{ label: words.resume.label, command: 'payouts.resume', fields }];
}
