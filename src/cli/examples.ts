import {
  type CommandDescription,
  flagOf,
  kindOf,
  positionalOf,
  propertiesOf,
  wordsOf,
} from './command-description.ts';

/** Values by the name of the field, for examples in help. */
const samples: Record<string, string> = {
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  amount: '12.50',
  cardId: 'card_17',
  cardIssuerUserId: 'account_3',
  currency: 'USDC',
  email: 'ana@example.com',
  familyName: 'Ribeiro',
  fromBlock: '41000000',
  fromNonce: '17',
  givenName: 'Ana',
  id: 'order-17',
  keyId: 'abcdefghijkl2345',
  merchantName: "'Padaria Lisboa'",
  network: 'polygon',
  nonce: '17',
  reason: "'Ticket 4711'",
  sequence: '1042',
  transactionHash: `0x${'c4'.repeat(32)}`,
  transactionId: 'transaction_9',
};
const sampleUuid = '0198a6a0-0000-7000-8000-000000000001';

/** Command lines that work as they are: those of the entry, or one with the required fields. */
export function examplesOf(command: CommandDescription): string[] {
  const { examples = [composeExample(command)] } = command;
  return examples.map((args) => `causeway ${wordsOf(command)} ${args}`.trimEnd());
}

function composeExample(command: CommandDescription): string {
  const properties = propertiesOf(command);
  const places = positionalOf(command);
  const required = command.input.required ?? [];
  const flagged = required.filter((field) => !places.includes(field));
  const sampleOf = (field: string) =>
    properties[field]?.enum?.[0] ?? samples[field] ?? (field.endsWith('Id') ? sampleUuid : `<${field}>`);
  return [
    ...places.filter((field) => required.includes(field)).map(sampleOf),
    ...flagged.map((field) =>
      kindOf(properties[field]!) === 'boolean' ? flagOf(field) : `${flagOf(field)} ${sampleOf(field)}`,
    ),
  ].join(' ');
}
