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
 * without the errors, which are classes, and headers, which it reads itself, and with the schemas that are
 * used.
 */
export function pruneDocument(document: ClientDocument): ClientDocument {
  const { paths, webhooks, components, ...others } = structuredClone(document);
  delete paths['/mcp'];
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const status of Object.keys(operation.responses)) {
      if (Number(status) >= 400) delete operation.responses[status];
      else delete operation.responses[status].headers;
    }
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

/** Without what only people get by their session: clients have keys. `codes` are refusals of sessions. */
export function leaveOutSessions(document: ClientDocument, codes: ReadonlySet<string>): ClientDocument {
  const copy = structuredClone(document);
  for (const [url, methods] of Object.entries(copy.paths)) {
    for (const [method, { security = [], responses }] of Object.entries(methods)) {
      if (isForPeople(security)) delete methods[method];
      for (const { content } of Object.values<Any>(responses)) {
        const examples: Record<string, Any> = content?.['application/json']?.examples ?? {};
        for (const [name, { value }] of Object.entries(examples))
          if (codes.has(value?.code)) delete examples[name];
      }
    }
    if (Object.keys(methods).length === 0) delete copy.paths[url];
  }
  return copy;
}

/** Whether only a session can call an operation with these security schemes. */
export const isForPeople = (security: readonly object[]): boolean =>
  security.length > 0 && security.every((scheme) => 'personSession' in scheme);
