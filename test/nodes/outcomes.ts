import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { knownAnswers } from './known-clients.ts';
import type { Exchange, RpcAnswer, RpcErrorObject } from './scenario.ts';

/** A client and its answers by step. Clients known from their source cover only some steps. */
export interface Client {
  name: string;
  isRecorded: boolean;
  answers: ReadonlyMap<string, Exchange>;
}

export interface Recording {
  client: string;
  version: string;
  exchanges: Exchange[];
}

const folder = path.join(import.meta.dirname, 'recorded');
export const recordings = readdirSync(folder).map(
  (file): Recording => JSON.parse(readFileSync(path.join(folder, file), 'utf8')),
);

const byStep = (exchanges: readonly Exchange[]) => new Map(exchanges.map((one) => [one.step, one]));
export const clients: Client[] = [
  ...recordings.map(({ client, exchanges }) => ({
    name: client,
    isRecorded: true,
    answers: byStep(exchanges),
  })),
  ...[...Map.groupBy(knownAnswers, ({ client, version }) => `${client} ${version}`)].map(
    ([name, answers]) => ({
      name,
      isRecorded: false,
      answers: byStep(answers),
    }),
  ),
];

/** The meaning of an error, by its words first: codes vary more than words. */
const errorClasses: [meaning: string, words: RegExp][] = [
  ['reverted', /\brevert(?:ed)?\b|\b0x(?:08c379a0|4e487b71)/i],
  ['already known', /already[ _]?(?:known|imported|in the TxPool)|^known transaction/i],
  ['underpriced', /underpriced|replacement gas too low|ReplacementNotAllowed/i],
  ['nonce too low', /nonce too low|correct nonce|OldNonce/i],
  ['insufficient funds', /insufficient ?funds|enough (?:funds|balance)|upfront cost exceeds/i],
  ['intrinsic gas', /intrinsic ?gas (?:too low|exceeds)|IntrinsicGas|requires at least \d+ gas/i],
  ['gas limit', /gas[ _]limit|intrinsic gas too high/i],
  ['other chain', /chain ?id/i],
  ['fee below base fee', /base fee/i],
  ['out of gas', /out ?of ?gas|OOG$/i],
  ['block range', /block range|range is in the future/i],
  ['no such method', /method .*(?:not exist|not supported|not found)|unknown method|method not found/i],
  [
    'no such block',
    /header not found|unknown block|block tag \d|OutOfRange|block.*(?:not found|not exist|cannot be found)|beyond head/i,
  ],
  ['not a transaction', /decode|RLP|too short|empty transaction|serialized tx/i],
];

/** By code where the words tell nothing: each client has its own for the same fault of a caller. */
const codeClasses: Record<number, string> = {
  [-32015]: 'reverted',
  [-32600]: 'invalid request',
  [-32602]: 'invalid params',
  [-32700]: 'invalid request',
};

function classOf({ code = 0, message = '', data }: RpcErrorObject): string {
  const said = typeof data === 'string' ? `${message} ${data}` : message;
  const found = errorClasses.find(([, words]) => words.test(said));
  return found?.[0] ?? codeClasses[code] ?? 'other';
}

/** `value`, `null`, `none` for an empty list, `error: …`; for an array of calls, the outcome of each. */
export function outcomeOf({ body, answer, ...exchange }: Exchange): string {
  if (body === undefined) return ofAnswer(exchange);
  if (Array.isArray(answer)) return `[${answer.map(ofAnswer).join(', ')}]`;
  return typeof answer === 'object' && answer !== null ? ofAnswer(answer) : 'no JSON';
}

function ofAnswer({ result, error }: RpcAnswer): string {
  if (error) return `error: ${classOf(error)}`;
  if (result === null || result === undefined) return 'null';
  return Array.isArray(result) && result.length === 0 ? 'none' : 'value';
}

/** A JSON value with every scalar replaced by its form. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(fields.map(([key, field]) => [key, shapeOf(field)]));
  }
  if (typeof value !== 'string') return value === null ? 'null' : typeof value;
  if (!/^0x/.test(value)) return 'text';
  return { 42: 'address', 66: 'hash' }[value.length] ?? 'hex';
}

export type Fields = Record<string, unknown>;

/** The fields of a result that is an object, or of the first object in it. */
export function fieldsOf(exchange: Exchange | undefined): Fields | undefined {
  const { result } = exchange ?? {};
  const object = Array.isArray(result) ? result[0] : result;
  const isObject = typeof object === 'object' && object !== null && Object.keys(object).length > 0;
  return isObject ? (object as Fields) : undefined;
}
