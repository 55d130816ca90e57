import { isObject } from '#platform/values/is-object';
import { mcpErrors } from './errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
export type RequestId = string | number;

/** One JSON-RPC message; a notification has no id. */
export interface Message {
  id: RequestId | undefined;
  method: string;
  /** Not validated yet: each method checks its own. */
  params: unknown;
}

/** The id of any input, for refusals that come before it is known to be a message. */
export function idOf(body: unknown): RequestId | null {
  return isObject(body) && isId(body.id) ? body.id : null;
}

/** A double cannot hold a larger integer, so the answer would have another id. */
const isId = (id: unknown): id is RequestId => typeof id === 'string' || Number.isSafeInteger(id);

export function readMessage(body: unknown): Message {
  if (!isObject(body) || body.jsonrpc !== '2.0') throw mcpErrors.invalidRequest();
  const { id, method, params } = body;
  if (typeof method !== 'string') {
    throw mcpErrors.invalidRequest({
      message: 'method must be a string: no request of ours awaits an answer',
    });
  }
  if ('id' in body && !isId(id)) {
    throw mcpErrors.invalidRequest({
      message: 'id must be a string, or an integer of at most 9007199254740991 either way',
    });
  }
  return { id: id as RequestId | undefined, method, params };
}
