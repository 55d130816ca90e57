import type { TSchema } from 'typebox';
import { commonErrors, invalidField, type Refusal } from '../errors/errors.ts';
import { errorBody, errorSchema } from '../http/send-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Describes the route in the API reference; a route without it is not in a document. */
    reference?: Operation;
  }
}

/** The document for partners and integrations, or the one for operators. */
export type Audience = 'partner' | 'operator';

/** What the API reference says about a route. Its schemas come from the route, which validates by them. */
export interface Operation {
  audience: Audience;
  /** Unique in its document: the name of the function in generated clients. */
  id: string;
  tag: string;
  /** One line. */
  summary: string;
  /** Markdown. */
  description?: string;
  /** Names of security schemes, any one of them; none for routes that anybody may call. */
  security?: string | readonly string[];
  /** By the name of the path, query or header parameter. */
  parameters?: Readonly<Record<string, ParameterWords>>;
  /** Default: the route's schema of the body. */
  body?: TSchema;
  /** Bodies that the route accepts, by name. */
  requests?: Examples;
  /** By status. */
  answers: Readonly<Record<number, Answer>>;
  errors: readonly ErrorCase[];
}

export interface ParameterWords {
  example?: unknown;
  description?: string;
  /** The values of a parameter that the route checks in code, to keep the contract's message. */
  values?: readonly string[];
}

export type Examples = Readonly<Record<string, Example>>;

export interface Example {
  summary?: string;
  value: unknown;
}

export interface Answer {
  description: string;
  /** Default: the route's response schema of the status. */
  schema?: TSchema;
  examples?: Examples;
  /** For files, by content type. Default: JSON. */
  files?: Readonly<Record<string, string>>;
}

/** One way in which a call fails, with the body that is sent. */
export interface ErrorCase {
  status: number;
  code: string;
  message: string;
  when: string;
  body: object;
  schema: TSchema;
}

/** Rows of an error table, each with when it is sent. */
export function refusals(
  rows: readonly (readonly [row: () => Refusal, when: string])[],
  schema: TSchema = errorSchema,
): ErrorCase[] {
  return rows.map(([row, when]) => {
    const refusal = row();
    const { status, code, message } = refusal;
    return { status, code, message, when, schema, body: errorBody(refusal, sampleRequestId) };
  });
}

/** A field that is refused. */
export const invalidCase = (field: string, message: string, when: string): ErrorCase[] =>
  refusals([[() => invalidField(field, message), when]]);

/** An answer whose examples are recorded. */
export const answer = (description: string, status = 200): Operation['answers'] => ({
  [status]: { description },
});

/** An answer with one example, written by hand. */
export const exampleAnswer = (description: string, value: unknown, status = 200): Operation['answers'] => ({
  [status]: { description, examples: { answer: { value } } },
});

const sampleRequestId = '7d5ad0ea-3f0c-4f53-9bcd-0a8f4f6d2c11';

const jsonValue = { $ref: '#/components/schemas/JsonValue' };

/** An object with any fields, without the `unknown` that generators make of an empty schema. */
export const anyFields = {
  additionalProperties: {
    title: 'JsonValue',
    anyOf: [
      { type: ['string', 'number', 'boolean', 'null'] },
      { type: 'array', items: jsonValue },
      { type: 'object', additionalProperties: jsonValue },
    ],
  },
};

/** What every path may answer. */
export const methodCase = refusals([
  [commonErrors.methodNotAllowed, 'The path has other methods. `Allow` lists them'],
]);

/** What every route may answer. */
export const commonCases = [
  ...methodCase,
  ...refusals([
    [commonErrors.internalError, 'A fault of this service. Report `requestId`'],
    [commonErrors.unavailable, 'The database does not answer, or the service stops. Try again later'],
  ]),
];

/** What every route with a JSON body may answer. */
export const bodyCases = refusals([
  [commonErrors.bodyTooLarge, 'The body is larger than the limit'],
  [commonErrors.unsupportedMediaType, 'The body is not JSON'],
]);
