import { isObject } from '#platform/values/is-object';
import { mcpErrors } from './errors.ts';
import type { JsonObject, Message } from './message.ts';

/** Clients of these revisions start with `initialize` and send the revision in a header from then on. */
export const legacyRevisions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Clients of this revision send everything with every request: in `params._meta`, and again in headers. */
const modernRevision = '2026-07-28';
export const supportedRevisions: readonly string[] = [modernRevision, ...legacyRevisions];

export type Era = 'legacy' | 'modern';

export interface Dialect {
  era: Era;
  /** Whether the caller understands structured results: it named a revision from 2025-06-18 on. */
  isStructured: boolean;
  /**
   * Whether tools are listed with output schemas. A caller that named an older revision gets none, because it
   * would then expect structured results.
   */
  listsOutput: boolean;
}

const versionKey = 'io.modelcontextprotocol/protocolVersion';
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The revision of a request. If its header or `_meta` names the modern revision, it is modern, and is refused
 * if the rest does not fit; it is never read as an older one. Callers of the contract name no revision.
 */
export function readDialect({ method, params }: Message, headers: Headers): Dialect {
  const header = headerOf(headers, 'mcp-protocol-version');
  // First, so that a later client learns which revisions it can fall back on. The handshake has a separate
  // answer for that.
  if (header !== undefined && method !== 'initialize' && !supportedRevisions.includes(header)) {
    throw unsupported(header);
  }
  const meta = isObject(params) && isObject(params._meta) ? params._meta : undefined;
  const claim = meta?.[versionKey];
  if (header === modernRevision || (meta && versionKey in meta && !isLegacy(claim))) {
    checkModern({ method, meta, header, params: isObject(params) ? params : {} }, headers);
    return { era: 'modern', isStructured: true, listsOutput: true };
  }
  const knowsOutput = header === undefined ? undefined : header >= '2025-06-18';
  return { era: 'legacy', isStructured: knowsOutput ?? false, listsOutput: knowsOutput ?? true };
}

const isLegacy = (revision: unknown) => legacyRevisions.includes(revision as string);

interface ModernRequest {
  method: string;
  params: JsonObject;
  meta: JsonObject | undefined;
  header: string | undefined;
}

function checkModern({ method, params, meta, header }: ModernRequest, headers: Headers): void {
  const version = meta?.[versionKey];
  const missing = [
    ...(typeof version === 'string' ? [] : [versionKey]),
    ...(isObject(meta?.[capabilitiesKey]) ? [] : [capabilitiesKey]),
  ];
  if (typeof version !== 'string' || missing.length > 0) {
    const message = `params._meta must have ${missing.join(' and ')}`;
    throw mcpErrors.envelopeIncomplete({ message, data: { missing } });
  }
  requireSame('MCP-Protocol-Version', header, version);
  requireSame('Mcp-Method', headerOf(headers, 'mcp-method'), method);
  const name = nameOf(method, params);
  if (typeof name === 'string') requireSame('Mcp-Name', decodeName(headerOf(headers, 'mcp-name')), name);
}

/** What the header `Mcp-Name` repeats. */
function nameOf(method: string, params: JsonObject): unknown {
  switch (method) {
    case 'tools/call':
    case 'prompts/get':
      return params.name;
    case 'resources/read':
      return params.uri;
  }
  return undefined;
}

function requireSame(name: string, header: string | undefined, value: string): void {
  if (header === value) return;
  const fault = header === undefined ? 'is missing or malformed' : 'is not what the body says';
  throw mcpErrors.headerMismatch({ message: `Header ${name} ${fault}` });
}

const unsupported = (requested: string) =>
  mcpErrors.unsupportedVersion({
    data: { supported: supportedRevisions, requested: requested.slice(0, 100) },
  });

/** Whitespace around a header's value is not part of it. */
function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/** A name that a header cannot carry is sent as `=?base64?…?=`. */
function decodeName(value: string | undefined): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value ?? '')?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  // Node's decoder skips invalid characters, so the bytes are encoded again and compared.
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}
