import { separator } from '../unpack-lines.ts';

// Statement texts are built once, because the driver finds prepared statements by their text.
const ms = (column: string) => `round(date_part('epoch', ${column}) * 1000)`;

export const columns = (
  l: string,
) => `${l}.type, ${ms(`${l}.transaction_at`)} as "transactionMs", ${l}.number,
  ${l}.operation_id as "operationId", ${l}.unique_hash_id as "uniqueHashId", ${l}.sent_account_id as "sentAccountId",
  ${l}.sent_amount as "sentAmount", ${l}.received_account_id as "receivedAccountId", ${l}.received_amount as "receivedAmount",
  ${l}.status, ${l}.description, ${l}.purpose, ${l}.user_description as "userDescription", ${ms(`${l}.executed_at`)} as "executedMs"`;

const unit = `'${separator}'`;

// All lines of a page as two values: parsing rows and columns takes the server longer than everything else
// about a page. Texts are JSON; figures are separated by blanks. `unpackLines` expects this order.
const figureColumns = [
  'l.type',
  ms('l.transaction_at'),
  'l.number',
  'l.sent_account_id',
  'l.sent_amount',
  'l.received_account_id',
  'l.received_amount',
  ms('l.executed_at'),
];
export const newestFirst = 'order by l.transaction_at desc, l.number desc';
export const oldestFirst = 'order by l.transaction_at, l.number';
/** The lines `l` in this order, as `unpackLines` reads them. */
export const packLines = (order: string) => `array_to_json(array_agg(
    array[l.operation_id, l.unique_hash_id, l.status, l.description, l.purpose, l.user_description] ${order})) as texts,
  ${figures(order)}`;
const figures = (order: string) =>
  `string_agg(concat(${figureColumns.join(`, ' ', `)}), ' ' ${order}) as figures`;

/** A tenth less work for the database than JSON, and half as much for us. `splitLines` reads it. */
export const joinLines = (
  order: string,
) => `string_agg(concat(l.operation_id, ${unit}, l.unique_hash_id, ${unit}, l.status, ${unit},
    l.description, ${unit}, l.purpose, ${unit}, '=' || l.user_description), ${unit} ${order}) as texts,
  ${figures(order)}`;
