import { userErrors } from '#features/users';
import { invalidField } from '#platform/errors/errors';
import { answer, bodyCases, commonCases, type Operation, refusals } from '#platform/reference/operation';
import { personErrors } from '../errors.ts';

const personId = '0198a6a0-0000-7000-8000-000000000003';
const colleague = {
  id: personId,
  kind: 'partner',
  partnerId: '0198a6a0-0000-7000-8000-000000000001',
  integrationId: null,
  role: 'finance',
  name: 'Rui Lima',
  email: 'rui@example.org',
  canSignIn: true,
  createdAt: '2026-07-31T12:00:00.000Z',
  removedAt: null,
};

const callers = [
  ...refusals([
    [() => invalidField('personId', 'is required'), 'A field is invalid'],
    [personErrors.notSignedIn, 'There is no session, or it has ended'],
    [personErrors.foreignRequest, 'Without the token of the session in `X-CSRF-Token`'],
    [personErrors.notOwner, 'The person is not an owner, or works for the operator'],
    [personErrors.tooManyChanges, 'More than 30 requests of the person in 10 seconds'],
  ]),
  ...bodyCases,
  ...commonCases,
];
const changes = refusals([
  [personErrors.stepUpRequired, 'The passkey was not used for five minutes'],
  [personErrors.wrongRole, 'The team has no such role'],
]);
const ofOne = refusals([
  [personErrors.personNotFound, 'Your team has no such person'],
  [personErrors.ownRights, 'It is yourself'],
]);

const operation = (
  rest: Pick<Operation, 'id' | 'summary'> & Partial<Operation>,
  description: string,
): Operation => ({
  audience: 'partner',
  tag: 'Team',
  security: 'personSession',
  ...rest,
  answers: answer(description),
  errors: [...(rest.errors ?? []), ...callers],
});
const one = { example: { value: { personId } } };

/** By session only: a machine key has no business with names and emails, and must not invite anybody. */
export const teamReference = {
  list: operation(
    { id: 'listColleagues', summary: 'List the team', requests: { all: { value: {} } } },
    'A page of people, oldest first, with those that were removed.',
  ),
  invite: operation(
    {
      id: 'inviteColleague',
      summary: 'Invite a colleague',
      description: 'The link registers a passkey, once and within 72 hours. Only owners manage the team.',
      requests: {
        example: { value: { name: colleague.name, email: colleague.email, role: colleague.role } },
      },
      errors: [
        ...changes,
        ...refusals([
          [personErrors.personExists, 'The team has a person with this email'],
          [userErrors.invalidEmail, 'The email is not one'],
        ]),
      ],
    },
    'The person, and the link, once.',
  ),
  reinvite: operation(
    {
      id: 'reinviteColleague',
      summary: 'Replace a lost passkey or link',
      description: 'Passkeys and sessions of the person end, and a new link is made.',
      requests: one,
      errors: [...changes, ...ofOne],
    },
    'The person, and the link, once.',
  ),
  update: operation(
    {
      id: 'updateColleague',
      summary: 'Change the role of a colleague',
      requests: { example: { value: { personId, role: 'developer' } } },
      errors: [...changes, ...ofOne],
    },
    'The person.',
  ),
  remove: operation(
    {
      id: 'removeColleague',
      summary: 'Remove a colleague',
      description: 'Sessions, passkeys and open invitations end at once.',
      requests: one,
      errors: [...changes, ...ofOne],
    },
    'The person.',
  ),
};
