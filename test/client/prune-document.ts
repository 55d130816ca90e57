// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document.
type Any = any;

/** The partners' API reference, as far as the client reads it. */
export interface ClientDocument {
  paths: Record<string, Record<string, Any>>;
  webhooks?: Record<string, Any>;
  components: { schemas: Record<string, Any> };
}

/** Schemas that no answer names but that the client knows: bodies of errors. */
const errorBodies = ['Error', 'EndedConsent'];

/**
 * What the types of the client are made of: operations with their answers, without MCP, which has clients,
 * without the errors, which are classes, and with the schemas that are used.
 */
export function pruneDocument(document: ClientDocument): ClientDocument {
  const { paths, webhooks, components, ...others } = structuredClone(document);
  delete paths['/mcp'];
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const status of Object.keys(operation.responses))
      if (Number(status) >= 400) delete operation.responses[status];
  const used = new Set(errorBodies);
  const collect = (value: unknown) => {
    for (const [, name] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (used.has(name!)) continue;
      used.add(name!);
      collect(components.schemas[name!]);
    }
  };
  collect([paths, webhooks ?? {}]);
  const schemas = Object.entries(components.schemas).filter(([name]) => used.has(name));
  return {
    ...others,
    paths,
    ...(webhooks && { webhooks }),
    components: { schemas: Object.fromEntries(schemas) },
  };
}
