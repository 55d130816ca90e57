import { noteSecret } from '#test/harness';
import type { Document } from './check-answers.ts';

/** A request as the API reference shows it. */
export interface ExampleRequest {
  operationId: string;
  /** Of the example of its body. */
  name: string;
  method: string;
  /** As in the document: `/users/{userId}`. */
  template: string;
  path: Texts;
  query: Texts;
  headers: Texts;
  body?: object;
}

export type Texts = Readonly<Record<string, string>>;

/** What each operation of a document shows: a request for each example of the body, or one without a body. */
export function exampleRequests(document: Document): ExampleRequest[] {
  return Object.entries<Document>(document.paths).flatMap(([template, methods]) =>
    Object.entries<Document>(methods).flatMap(([method, { operationId, parameters = [], requestBody }]) => {
      const shown = (place: string) =>
        Object.fromEntries<string>(
          parameters
            .filter((one: Document) => one.in === place && one.example !== undefined)
            .map(({ name, example }: Document) => [name, String(example)]),
        );
      const places = { path: shown('path'), query: shown('query'), headers: shown('header') };
      const request = { operationId, method: method.toUpperCase(), template, ...places };
      const bodies = Object.entries<Document>(requestBody?.content['application/json'].examples ?? {});
      if (bodies.length === 0) return [{ ...request, name: 'answer' }];
      return bodies.map(([name, { value }]) => ({ ...request, name, body: value }));
    }),
  );
}

/**
 * The same request for things that exist: `ids` are theirs, by the name of the parameter or of the field.
 * `restore` puts the ids of the example into the answer.
 */
export function withIds({ template, path, query, body }: ExampleRequest, ids: Texts) {
  const shown = { ...path, ...fieldsOf(body) };
  const pairs = Object.entries(ids).flatMap(([name, id]) =>
    name in shown ? [[shown[name]!, id] as const] : [],
  );
  const filled = { ...path, ...ids };
  const search = new URLSearchParams(query).toString();
  const url = template.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(filled[name]!));
  return {
    url: search === '' ? url : `${url}?${search}`,
    body: body && replaceTexts(body, pairs),
    restore: <Value>(answer: Value): Value =>
      replaceTexts(
        answer,
        pairs.map(([from, to]) => [to, from]),
      ),
  };
}

/** The texts of an object by the names of their fields, at any depth. */
function fieldsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, one]) =>
      typeof one === 'string' ? { [name]: one } : fieldsOf(one),
    ),
  );
}

/** Whole texts, and ids within longer ones. */
function replaceTexts<Value>(value: Value, pairs: readonly (readonly [from: string, to: string])[]): Value {
  const replace = (text: string) =>
    pairs.reduce(
      (now, [from, to]) => (now === from ? to : from.length < 12 ? now : now.replaceAll(from, to)),
      text,
    );
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return replace(one);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([name, part]) => [name, walk(part)]));
  };
  return walk(value) as Value;
}

/** The input with what `world` has under the same names, if it names a thing or a moment, at any depth. */
export function placedIn(input: object, world: object): object {
  const known = allFields(world);
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [
        name,
        names.test(name) && name in known ? known[name] : walk(part),
      ]),
    );
  };
  return walk(input) as object;
}

const names =
  /(?<!deployment)Ids?$|^(id|address|transactionHash|nonce|fromNonce|fromBlock|revision|sequence|expiresAt)$/;

function allFields(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.assign({}, ...Object.values(value).map(allFields), Array.isArray(value) ? {} : value);
}

/** The secrets that an answer shows once: they must be found nowhere else. */
export function noteShownSecrets({ body }: { body: unknown }): void {
  for (const [, secret] of (JSON.stringify(body) ?? '').matchAll(secrets)) noteSecret(secret!);
}

const secrets = /"(?:whsec_|cw[ki]_[a-z2-7]+_|https?:[^"]*\/(?:requests|sign-in|invitation)\/)([^"]+)"/g;
