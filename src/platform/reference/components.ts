type Json = Record<string, unknown>;

/**
 * Collects the named schemas of a document. A schema with a `title` becomes a component of that name, and a
 * reference where it was. `documentedAs` replaces a schema that must not decide how an answer is written.
 */
export class Components {
  readonly #schemas: Record<string, unknown> = {};

  /** The schema for the document: plain JSON, with references to the named ones inside it. */
  add(schema: unknown): Json {
    return this.#write(JSON.parse(JSON.stringify(schema))) as Json;
  }

  /** As `add`, under this name if the schema has none. */
  addNamed(name: string, schema: unknown): Json {
    const { title = name } = schema as { title?: string };
    return this.add({ ...(schema as object), title });
  }

  get schemas(): Json {
    const byName = ([one]: [string, unknown], [other]: [string, unknown]) => (one < other ? -1 : 1);
    return Object.fromEntries(Object.entries(this.#schemas).sort(byName));
  }

  #write(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((part) => this.#write(part));
    if (typeof value !== 'object' || value === null) return value;
    const { title, documentedAs, ...rest } = value as Json;
    if (documentedAs) return this.#write(documentedAs);
    if (typeof title !== 'string') return simplify(this.#writeParts(value as Json));
    const written = simplify(this.#writeParts(rest));
    const known = this.#schemas[title];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(written)) {
      throw new Error(`Two schemas of the reference are named ${title}: rename one`);
    }
    this.#schemas[title] = written;
    return { $ref: `#/components/schemas/${title}` };
  }

  #writeParts(value: Json): Json {
    return Object.fromEntries(
      // A default or a list of values is data, which may have a property `title`.
      Object.entries(value).map(([key, part]) => [key, isData.has(key) ? part : this.#write(part)]),
    );
  }
}

const isData = new Set(['default', 'enum', 'const', 'examples', 'required']);

/** The same schema, as people and generators of clients read it best. */
function simplify(schema: Json): Json {
  const { enum: values, anyOf } = schema;
  if (Array.isArray(values) && !schema.type && values.every((value) => typeof value === 'string')) {
    return { type: 'string', ...schema };
  }
  if (Array.isArray(anyOf) && anyOf.length === 2 && (anyOf[1] as Json).type === 'null') {
    const [only] = anyOf as [Json];
    if (typeof only.type === 'string' && only.const === undefined) {
      const { anyOf: _, ...words } = schema;
      const withNull = Array.isArray(only.enum) && { enum: [...only.enum, null] };
      return { ...only, ...words, type: [only.type, 'null'], ...withNull };
    }
  }
  return schema;
}
