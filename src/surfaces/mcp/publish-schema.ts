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
 * What a model needs to write arguments. Patterns and lengths are left out: descriptions say them in words,
 * and so do our refusals.
 */
const inputKeywords = ['description', 'enum', 'minimum', 'maximum', 'default', 'required'];

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

/**
 * A tool's payload as `tools/list` shows it: names and types. Every payload that fits the full schema fits
 * this one, so clients that validate accept it. Meanings are in the tool's description, and everything is in
 * the API reference.
 */
export function publishOutput(schema: TSchema): object {
  const { properties, ...root } = schema as Schema;
  // These arguments are the input, which stands beside.
  const next = properties?.nextArguments && { nextArguments: { type: 'object' } };
  return outputOf({ ...root, properties: { ...properties, ...next } });
}

const outputOf = (schema: Schema): object => ({ ...typeOf(schema), ...within(schema, outputOf) });

/** Some hosts refuse an enum without a type. */
function typeOf({ type, enum: values }: Schema): { type?: string } {
  if (type !== undefined) return { type };
  return values?.every((value) => typeof value === 'string') ? { type: 'string' } : {};
}

function within({ properties, items, anyOf }: Schema, publish: (schema: Schema) => object): object {
  return {
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, publish(property)]),
      ),
    }),
    ...(items && { items: publish(items) }),
    ...(anyOf && { anyOf: anyOf.map(publish) }),
  };
}
