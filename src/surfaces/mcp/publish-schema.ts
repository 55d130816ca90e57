import type { TSchema } from 'typebox';

/** The keywords of our schemas; TypeBox's own types hide those of nested ones. */
interface Schema extends Record<string, unknown> {
  type?: string;
  enum?: readonly unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: readonly Schema[];
}

/**
 * What a model needs to write arguments. Patterns, lengths and lowest numbers are left out: descriptions say
 * them in words where they are not obvious, and so do our refusals.
 */
const inputKeywords = ['description', 'enum', 'maximum', 'default', 'required'];

/**
 * A tool's arguments as `tools/list` shows them. Short, because hosts put the list into every conversation;
 * calls are validated by the full schema.
 */
export const publishInput = (schema: TSchema): object => ({
  ...inputOf(schema as Schema),
  additionalProperties: false,
});

function inputOf(schema: Schema): object {
  const kept = inputKeywords.filter((keyword) => keyword in schema);
  return {
    ...typeOf(schema),
    ...Object.fromEntries(kept.map((keyword) => [keyword, schema[keyword]])),
    ...within(schema, inputOf),
  };
}

/** What many tools have: a place among pages, and the arguments of the next one, which are the input. */
const shared = ['pagination', 'nextArguments'];

/**
 * A tool's payload as `tools/list` shows it: names and types. Every payload that fits the full schema fits
 * this one, so clients that validate accept it. Meanings are in the tool's description, and everything is in
 * the API reference.
 */
export const publishOutput = (schema: TSchema): object => outputOf(schema as Schema);

const outputOf = (schema: Schema, name = ''): object => ({
  ...typeOf(schema),
  ...(!shared.includes(name) && within(schema, outputOf)),
});

/** Some hosts refuse an enum without a type. */
function typeOf({ type, enum: values }: Schema): { type?: string } {
  if (type !== undefined) return { type };
  return values?.every((value) => typeof value === 'string') ? { type: 'string' } : {};
}

function within(
  { properties, items, anyOf }: Schema,
  publish: (schema: Schema, name?: string) => object,
): object {
  return {
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, publish(property, name)]),
      ),
    }),
    ...(items && { items: publish(items) }),
    ...(anyOf && { anyOf: anyOf.map((each) => publish(each)) }),
  };
}
