import type { FastifySchema } from 'fastify';
import { Components } from './components.ts';
import { headersOf, usedHeaders } from './headers.ts';
import type { Answer, ErrorCase, Examples, Operation, ParameterWords } from './operation.ts';

export interface DocumentInfo {
  title: string;
  version: string;
  /** Markdown. */
  description: string;
  securitySchemes: Readonly<Record<string, object>>;
  /** In the order in which the reference lists them. */
  tags: readonly { name: string; description: string }[];
  /** What this server sends to others. */
  webhooks?: readonly Webhook[];
  /** Answers that tests got, by operation and status. They come before those written by hand. */
  recorded?: RecordedAnswers;
}

export type RecordedAnswers = Readonly<Record<string, Readonly<Record<string, Examples>> | undefined>>;

export interface Webhook {
  /** The type of the event. */
  type: string;
  name: string;
  words: string;
  schema: object;
  example: object;
}

export interface DescribedRoute {
  method: string;
  /** As Fastify writes it: `/users/:userId`. */
  url: string;
  schema: FastifySchema;
  operation: Operation;
}

/** An OpenAPI 3.1 document of routes. */
export function buildDocument(info: DocumentInfo, routes: readonly DescribedRoute[]): object {
  const components = new Components();
  const order = info.tags.map(({ name }) => name);
  const placeOf = ({ operation }: DescribedRoute) => order.indexOf(operation.tag);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] ??= {};
    const recorded = info.recorded?.[route.operation.id] ?? {};
    paths[path][route.method.toLowerCase()] = describe(route, components, recorded);
  }
  const { title, version, description, securitySchemes, tags } = info;
  const used = new Set(routes.map(({ operation }) => operation.tag));
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    // Relative, so that it is right at any address and behind any proxy.
    servers: [{ url: '/', description: 'This server' }],
    tags: tags.filter(({ name }) => used.has(name)),
    paths,
    ...(info.webhooks && { webhooks: describeWebhooks(info.webhooks, components) }),
    components: { schemas: components.schemas, headers: usedHeaders(paths), securitySchemes },
  };
}

const describeWebhooks = (webhooks: readonly Webhook[], components: Components): object =>
  Object.fromEntries(
    webhooks.map(({ type, name, words, schema, example }) => [
      type,
      {
        post: {
          operationId: `on${name}`,
          tags: ['Events'],
          summary: type,
          description: words,
          security: [],
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: components.add(schema), examples: { event: { value: example } } },
            },
          },
          responses: { '2XX': { description: 'Received. Any other answer is retried' } },
        },
      },
    ]),
  );

function describe(
  { schema, operation }: DescribedRoute,
  components: Components,
  recorded: Readonly<Record<string, Examples>>,
): object {
  const { id, tag, summary, description, security, requests } = operation;
  const parameters = (['params', 'querystring', 'headers'] as const).flatMap((part) =>
    describeParameters(schema[part] as ObjectSchema | undefined, part, operation.parameters, components),
  );
  const body = (operation.body ?? schema.body) as ObjectSchema | undefined;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    security: [security ?? []].flat().map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.required !== undefined && body.required.length > 0,
        content: {
          'application/json': {
            schema: components.addNamed(`${capitalize(id)}Request`, body),
            ...(requests && { examples: requests }),
          },
        },
      },
    }),
    responses: addHeaders(operation, schema, {
      ...describeAnswers(operation, schema, components, recorded),
      ...describeErrors(operation, components),
    }),
  };
}

function addHeaders(operation: Operation, { headers }: FastifySchema, responses: object): object {
  const { properties = {} } = (headers ?? {}) as ObjectSchema;
  const isIdempotent = 'idempotency-key' in properties;
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, ...response }]) => [
      status,
      { description, headers: headersOf(operation, Number(status), isIdempotent), ...response },
    ]),
  );
}

interface ObjectSchema {
  properties?: Record<string, { description?: string }>;
  required?: string[];
}

const places = { params: 'path', querystring: 'query', headers: 'header' } as const;

function describeParameters(
  { properties = {}, required = [] }: ObjectSchema = {},
  part: keyof typeof places,
  words: Readonly<Record<string, ParameterWords>> = {},
  components: Components,
): object[] {
  return Object.entries(properties).map(([name, { description: ofSchema, ...schema }]) => {
    const { example, values, description = ofSchema } = words[name] ?? {};
    return {
      name,
      in: places[part],
      required: required.includes(name),
      ...(description && { description }),
      schema: components.add(values ? { type: 'string', enum: values } : schema),
      ...(example !== undefined && { example }),
    };
  });
}

function describeAnswers(
  { id, answers }: Operation,
  schema: FastifySchema,
  components: Components,
  recorded: Readonly<Record<string, Examples>>,
): object {
  const ofRoute = (schema.response ?? {}) as Record<string, object>;
  const isOnly = Object.keys(answers).length === 1;
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => {
      const name = `${capitalize(id)}Answer${isOnly ? '' : status}`;
      const examples = { ...answer.examples, ...recorded[status] };
      const shown = Object.keys(examples).length > 0 ? { ...answer, examples } : answer;
      return [status, describeAnswer(name, shown, answer.schema ?? ofRoute[status], components)];
    }),
  );
}

function describeAnswer(
  name: string,
  { description, examples, files }: Answer,
  schema: object | undefined,
  components: Components,
): object {
  if (files) {
    const type = (example: string) => ({ schema: { type: 'string' }, example });
    const content = Object.entries(files).map(([contentType, example]) => [contentType, type(example)]);
    return { description, content: Object.fromEntries(content) };
  }
  if (!schema || (schema as { type?: string }).type === 'null') return { description };
  const json = { schema: components.addNamed(name, schema), ...(examples && { examples }) };
  return { description, content: { 'application/json': json } };
}

/** One response for each status, with every message that it may have. */
function describeErrors({ errors }: Operation, components: Components): object {
  const byStatus = Map.groupBy(errors, ({ status }) => String(status));
  return Object.fromEntries(
    [...byStatus].map(([status, cases]) => [
      status,
      {
        description: cases.map(({ message, when }) => `- \`${message}\`: ${when}.`).join('\n'),
        content: {
          'application/json': { schema: components.add(cases[0]!.schema), examples: nameCases(cases) },
        },
      },
    ]),
  );
}

function nameCases(cases: readonly ErrorCase[]): object {
  const names = new Map<string, object>();
  for (const { code, message, body } of cases) {
    const name = names.has(code) ? `${code}_${names.size + 1}` : code;
    names.set(name, { summary: message, value: body });
  }
  return Object.fromEntries(names);
}

const capitalize = (id: string) => id[0]!.toUpperCase() + id.slice(1);
