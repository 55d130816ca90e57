import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document; these tests read it.
export type Document = any;

const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  email: /^[^@\s]+@[^@\s]+$/,
  binary: true,
} as const;

interface Checked {
  status: number;
  body: unknown;
  headers?: Headers;
}

/** Those that callers read. */
const ownHeaders = [
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'idempotency-replayed',
  'allow',
];

/** Validates values by the schemas of an OpenAPI document, in which each object is closed. */
export function createChecker(document: Document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats });
  ajv.addSchema({ $id: 'document', components: close(document.components) });
  const compiled = new Map<string, ValidateFunction>();

  const faultsOf = (schema: object, value: unknown) => {
    const text = JSON.stringify(close(schema)).replaceAll('"#/components', '"document#/components');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate(value) ? [] : validate.errors!.map((one) => `${one.instancePath} ${one.message}`);
  };

  /** Fails if the document does not describe this answer. Returns the name of the operation. */
  const check = (method: string, url: string, { status, body, headers }: Checked): string => {
    const operation = findOperation(document, method, url);
    assert.ok(operation, `${method} ${url} is in the document`);
    const response = operation.responses[status];
    assert.ok(response, `${operation.operationId} documents ${status}: ${JSON.stringify(body)}`);
    const documented = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
    for (const name of ownHeaders)
      if (headers?.has(name)) {
        assert.ok(
          documented.includes(name),
          `${operation.operationId} ${status} documents the header ${name}`,
        );
      }
    const json = response.content?.['application/json'];
    if (!json) return operation.operationId;
    const faults = faultsOf(json.schema, body);
    assert.deepEqual(faults, [], `${operation.operationId} ${status}: ${JSON.stringify(body)}`);
    // The messages of errors are the contract's, so those in the document must be those that are sent.
    const { error } = body as { error?: string };
    if (status >= 400 && typeof error === 'string' && status !== 400) {
      const messages = Object.values<Document>(json.examples).map(({ value }) => value.error);
      assert.ok(messages.includes(error), `${operation.operationId} documents “${error}”`);
    }
    return operation.operationId;
  };
  return { faultsOf, check };
}

function findOperation(document: Document, method: string, url: string): Document {
  const [path] = url.split('?');
  const templates = Object.keys(document.paths).filter((template) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`).test(path!),
  );
  // A path without parameters comes first.
  const [template] = templates.sort((one, other) => one.split('{').length - other.split('{').length);
  return template && document.paths[template][method.toLowerCase()];
}

/** The same schema without room for properties that it does not name. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const closed = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, close(part)]));
  const { properties } = closed as { properties?: object };
  const isObject = closed.type === 'object' && properties && Object.keys(properties).length > 0;
  return isObject ? { additionalProperties: false, ...closed } : closed;
}
