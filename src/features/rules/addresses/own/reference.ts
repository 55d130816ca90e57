import { adminOperations } from '#features/keys';
import { answer, bodyCases, invalidCase, refusals } from '#platform/reference/operation';
import { ruleErrors } from '../../errors.ts';

const addressId = '0198a6c4-51b0-7c39-9d0e-3f6a1c2b8d46';
const waiting = {
  id: addressId,
  address: '0x52908400098527886E0F7030069857D2E4169EE7',
  name: 'Payroll',
  network: null,
  status: 'waiting',
  addedBy: 'person:0198a6a0-0000-7000-8000-000000000003',
  addedAt: '2026-07-31T12:00:00.000Z',
};

const notFound = refusals([[ruleErrors.addressNotFound, 'Your book has no such entry']]);

const operation = adminOperations('Address book', ruleErrors);

export const ownAddressReference = {
  list: operation({
    id: 'listAddresses',
    summary: 'List the address book',
    description: 'Entries of the partner with those that wait for a confirmation, oldest first.',
    answers: answer('A page of entries.'),
    errors: invalidCase('limit', 'must be <= 200', 'A query parameter is invalid or unknown'),
  }),
  propose: operation(
    {
      id: 'proposeAddress',
      summary: 'Propose an address',
      description: [
        'Rules do not see it until another person confirms it. So neither a stolen key nor one person alone adds',
        'a recipient. People need the role `finance` or `owner`.',
      ].join('\n'),
      requests: { example: { value: { address: waiting.address, name: waiting.name } } },
      answers: answer('The entry, which waits.', 201),
      errors: [
        ...invalidCase('address', 'must be 0x and 40 hex digits', 'A field is invalid'),
        ...refusals([
          [ruleErrors.addressKnown, 'It is in the book, or somebody proposed it'],
          [ruleErrors.tooManyProposals, '100 entries wait'],
        ]),
        ...bodyCases,
      ],
    },
    true,
  ),
  confirm: operation(
    {
      id: 'confirmAddress',
      summary: 'Confirm an address',
      description:
        'By the session of a person with the role `finance` or `owner`: not who proposed it, nor who issued the key that did.',
      security: 'personSession',
      parameters: { addressId: { example: addressId } },
      answers: answer('The entry, which rules now see.'),
      errors: [
        ...notFound,
        ...refusals([
          [ruleErrors.ownProposal, 'You proposed it, or issued the key that did'],
          [
            ruleErrors.proposerGone,
            'The person is removed or has another role, or the key is revoked or suspended',
          ],
          [ruleErrors.addressKnown, 'The operator added it meanwhile'],
        ]),
      ],
    },
    true,
  ),
  remove: operation({
    id: 'removeAddress',
    summary: 'Remove an address',
    description: 'From the book, or what waits. Payments that are not signed yet are judged without it.',
    parameters: { addressId: { example: addressId } },
    answers: answer('The entry as it was.'),
    errors: [...notFound, ...refusals([[ruleErrors.addedByOperator, 'The operator added it']])],
  }),
};
