import assert from 'node:assert/strict';
import { Compile } from 'typebox/compile';
import { type Ctx, contextFor, type KeyActor } from '#context';
import type { IssuedKey } from '#features/keys';
import type { Tool } from '#platform/commands/tool';
import { Refusal } from '#platform/errors/errors';
import type { Harness } from '#test/harness';

/** Acts as the holder of that key. */
export function keyContext(
  harness: Harness,
  { id: keyId, partnerId, userId, scopes }: IssuedKey,
): Ctx<KeyActor> {
  const actor = { kind: 'key', keyId, partnerId, userId, scopes } as const;
  return contextFor(harness.deps, actor, harness.deps.log);
}

// biome-ignore lint/suspicious/noExplicitAny: a payload is whatever the tool gave; tests assert its shape.
type Payload = any;

/**
 * Calls tools by name with arguments that their input allows, after a round trip through JSON, and checks
 * that the payload is exactly what the output describes.
 */
export function callerOf(tools: readonly Tool<Ctx<KeyActor>>[]) {
  const compiled = new Map(
    tools.map((tool) => [tool.name, { tool, input: Compile(tool.input), output: Compile(tool.output) }]),
  );
  return async (ctx: Ctx<KeyActor>, name: string, args: object = {}): Promise<Payload> => {
    const { tool, input, output } = compiled.get(name)!;
    const given = JSON.parse(JSON.stringify(args));
    assert.deepEqual([...input.Errors(given)], [], 'the arguments are those that the tool takes');
    const payload = JSON.parse(JSON.stringify(await tool.run(ctx, given as never)));
    assert.deepEqual([...output.Errors(payload)], [], 'the payload is what the tool says');
    return payload;
  };
}

/** Records every statement from now on. */
export function noteStatements(ctx: Ctx<KeyActor>): string[] {
  const { db } = ctx;
  const texts: string[] = [];
  const query: typeof db.query = (text, values) => {
    texts.push(text);
    return db.query(text, values);
  };
  ctx.db = { query, transaction: (work) => db.transaction(work) };
  return texts;
}

/** Follows `nextArguments` to the end. */
export async function readAllPages(
  call: (args: object) => Promise<Payload>,
  args: object,
): Promise<Payload[]> {
  const pages: Payload[] = [];
  for (let next: object | undefined = args; next; next = pages.at(-1).nextArguments) {
    assert.ok(pages.length < 1_000, 'pages come to an end');
    pages.push(await call(next));
  }
  return pages;
}

/** The refusal, which must be one that is sent to the model. */
export async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (error) => error,
  );
  if (!(error instanceof Refusal)) throw error;
  return error;
}

/** Properties that every tool must have. */
export function checkTool({ name, title, description, hints, input, output }: Tool<Ctx<KeyActor>>): void {
  assert.match(name, /^[a-zA-Z]{1,64}$/);
  assert.ok(title.length > 0 && description.length < 2_048, name);
  assert.match(description, /Needs the scope mcp/);
  assert.deepEqual(Object.keys(hints).sort(), ['destructive', 'idempotent', 'openWorld', 'readOnly']);
  checkObjects(input, name);
  checkObjects(output, name);
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'not']) assert.ok(!(keyword in input), name);
  checkDescribed(input, name);
}

interface AnySchema {
  type?: string;
  description?: string;
  additionalProperties?: unknown;
  properties?: Record<string, AnySchema>;
  items?: AnySchema;
  anyOf?: AnySchema[];
}

const below = ({ properties, items, anyOf }: AnySchema): [string, AnySchema][] => [
  ...Object.entries(properties ?? {}),
  ...(items ? [['[]', items] as [string, AnySchema]] : []),
  ...(anyOf ?? []).map((one): [string, AnySchema] => ['', one]),
];

/** No object at any depth allows other properties than described. */
function checkObjects(schema: AnySchema, where: string): void {
  if (schema.type === 'object') assert.equal(schema.additionalProperties, false, where);
  for (const [name, inner] of below(schema)) checkObjects(inner, `${where}.${name}`);
}

/** Every argument is described. */
function checkDescribed(schema: AnySchema, where: string): void {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    assert.ok((property.description ?? '').length > 20, `${where}.${name} is described`);
    if (property.items) checkDescribed(property.items, `${where}.${name}`);
  }
}
