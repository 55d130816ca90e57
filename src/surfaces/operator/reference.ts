import { refuseRole } from '#operator-roles';
import type { Command } from '#platform/commands/command';
import { invalidField, Refusal } from '#platform/errors/errors';
import { bodyCases, commonCases, type Operation, refusals } from '#platform/reference/operation';
import { operatorErrors } from './errors.ts';
import recorded from './examples.json' with { type: 'json' };

/** Calls that tests made, by the name of the command; `npm run examples` records them. */
const examples: Readonly<Record<string, RecordedCommand | undefined>> = recorded;

export interface RecordedCommand {
  request: object;
  /** Absent for files. */
  answer?: object;
  errors: readonly { status: number; code: string; message: string }[];
}

/** An input that a test sent. */
export const exampleOf = (name: string): object | undefined => examples[name]?.request;

/** What the reference says about a command, from its entry and the recorded calls. */
export function commandReference(command: Command, waits: boolean): Operation {
  const { name, summary, changes, roles, stepUp, fileTypes } = command;
  const { request, answer, errors = [] } = examples[name] ?? {};
  const [feature = ''] = name.split('.');
  return {
    audience: 'operator',
    tag: feature[0]!.toUpperCase() + feature.slice(1),
    id: name.replaceAll(/[.-](\w)/g, (_all, letter: string) => letter.toUpperCase()),
    summary: name.replace('.', ' '),
    description: [
      summary,
      '',
      `In the CLI: \`causeway ${name.replace('.', ' ')} --help\`.`,
      changes ? 'The audit log has every change.' : 'Changes nothing.',
      `Roles: ${[...roles, 'admin'].join(', ')}.`,
    ].join('\n'),
    security: 'operatorToken',
    ...(request && { requests: { example: { value: request } } }),
    answers: waits
      ? { 202: { description: 'Stored: another operator decides with `approvals.decide`.' } }
      : {
          200: fileTypes
            ? {
                description: 'The file, streamed. If it fails on the way, it is cut off.',
                files: Object.fromEntries(fileTypes.map((type) => [type, `A file of the type ${type}`])),
              }
            : {
                description: 'The answer is in `data`.',
                ...(answer && { examples: { example: { value: { data: answer } } } }),
              },
        },
    errors: [
      ...refusals([
        [() => invalidField('limit', 'must be an integer'), 'A field is missing, invalid or unknown'],
        [operatorErrors.unauthorized, 'The token is missing or invalid'],
        [() => refuseRole('sign-in', name), 'The role does not include the command'],
        ...(stepUp
          ? [
              [
                operatorErrors.stepUpRequired,
                'A signed-in person did not use a passkey within 5 minutes; tokens need none',
              ] as const,
            ]
          : []),
        ...errors.map(
          ({ status, code, message }) =>
            [() => new Refusal(status, code, message), 'See the message'] as const,
        ),
      ]),
      ...bodyCases,
      ...commonCases,
    ],
  };
}

/** A chapter of the reference for each feature with commands. */
export const operatorTags = [
  { name: 'Users', description: 'People, their wallets, and addresses that may not be paid.' },
  { name: 'Partners', description: 'Partners, and the users for whom each may act.' },
  { name: 'Keys', description: 'API keys of partners.' },
  {
    name: 'People',
    description: 'Staff of the operator, of partners and of integrations: invite, change, remove.',
  },
  { name: 'Integrations', description: 'Integrations of Connect and their keys.' },
  { name: 'Consents', description: 'What users share with integrations.' },
  { name: 'Withdrawals', description: 'Search, inspect and cancel withdrawals.' },
  { name: 'Wallets', description: 'Hot wallets that pay withdrawals: halt, resume, recover.' },
  { name: 'Nodes', description: 'EVM nodes: what each answers, and where they differ.' },
  { name: 'Rules', description: 'What may be paid: limits, denials and approvals.' },
  { name: 'Addresses', description: 'The address book that rules refer to.' },
  { name: 'Payouts', description: 'The emergency stop: pause and resume payouts.' },
  { name: 'Deposits', description: 'Deposits that are read from the chain.' },
  { name: 'Treasury', description: 'What the chain says we hold, compared with what we owe.' },
  { name: 'Cards', description: 'Cards, their transactions and refills, and the event feed of the issuer.' },
  {
    name: 'Ledger',
    description: 'Postings, unsettled records, balances, statements and checks of the books.',
  },
  { name: 'Positions', description: 'What users have staked or tokenized.' },
  { name: 'Prices', description: 'Prices in US dollars.' },
  { name: 'Events', description: 'What partners and integrations are notified of.' },
  { name: 'Webhooks', description: 'Addresses that receive events, and what became of each delivery.' },
  { name: 'Requests', description: 'What partners asked in the last seven days, by request id or key.' },
  { name: 'Roles', description: 'Which role may run which command.' },
  { name: 'Approvals', description: 'Commands that need a second operator.' },
  { name: 'Audit', description: 'Who changed what, and when.' },
  { name: 'Doctor', description: 'What is wrong with a deployment, and what to do.' },
  { name: 'Card issuer', description: 'What the card issuer calls.' },
  { name: 'Service', description: 'Liveness, readiness and metrics.' },
];
