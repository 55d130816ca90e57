import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Harness } from '../harness.ts';

/** One request of a client and its answer, as they were on the wire. */
export interface Exchange {
  verb: string;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent; tests assert its shape.
  message: any;
  status: number;
  answerHeaders: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever came back; tests assert its shape.
  answer: any;
}

interface CallResult {
  content: { type: string; text: string }[];
  // biome-ignore lint/suspicious/noExplicitAny: whatever the tool gave; tests assert its shape.
  structuredContent?: any;
  isError?: boolean;
}

interface ListedTool {
  name: string;
  inputSchema: object;
  outputSchema?: object;
}

/** What tests need of a client, whichever package it is from. */
export interface Connected {
  listTools(): Promise<ListedTool[]>;
  callTool(name: string, args?: object): Promise<CallResult>;
  listPrompts(): Promise<{ name: string; title?: string }[]>;
  /** The text of the prompt's only message. */
  getPrompt(name: string, args?: Record<string, string>): Promise<string>;
  listResources(): Promise<{ uri: string; mimeType?: string }[]>;
  listTemplates(): Promise<{ uriTemplate: string }[]>;
  readResource(uri: string): Promise<object[]>;
  negotiated: string;
  serverInfo: unknown;
  instructions: string | undefined;
  exchanges: Exchange[];
  /** Errors of the client outside of any call. */
  errors: Error[];
  close(): Promise<void>;
}

export interface Wire {
  /** Alters what is sent, or what came back, before the other side sees it. */
  alterRequest?(message: Exchange['message']): void;
  alterAnswer?(answer: Exchange['answer']): void;
}

export interface ClientKind {
  title: string;
  revision: string;
  connect(harness: Harness, token: string, wire?: Wire): Promise<Connected>;
}

const us = { name: 'judge', version: '1.0.0' };

/** The client's own fetch, recorded. */
export function noteFetch(exchanges: Exchange[], { alterRequest, alterAnswer }: Wire = {}) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const message = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    if (message) alterRequest?.(message);
    const body = message && JSON.stringify(message);
    const response = await fetch(url, { ...init, body });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const answer = isJson ? JSON.parse(text) : text;
    alterAnswer?.(answer);
    const headers = new Headers(init.headers);
    exchanges.push({
      verb: init.method ?? 'GET',
      headers,
      message,
      status: response.status,
      answer,
      answerHeaders: response.headers,
    });
    const hasBody = ![202, 204].includes(response.status);
    const passed = isJson ? JSON.stringify(answer) : text;
    return new Response(hasBody ? passed : null, { status: response.status, headers: response.headers });
  };
}

/** Both packages name these methods alike. */
function useTexts(client: Client | Client1) {
  const either = client as Client;
  return {
    listPrompts: async () => (await either.listPrompts()).prompts,
    getPrompt: async (name: string, args?: Record<string, string>) => {
      const { messages } = await either.getPrompt({ name, ...(args && { arguments: args }) });
      const [{ role, content }, ...others] = messages as [(typeof messages)[number]];
      if (others.length > 0 || role !== 'user' || content.type !== 'text') throw new Error('not one text');
      return content.text;
    },
    listResources: async () => (await either.listResources()).resources,
    listTemplates: async () => (await either.listResourceTemplates()).resourceTemplates,
    readResource: async (uri: string) => (await either.readResource({ uri })).contents,
  };
}

/** `@modelcontextprotocol/client`, the second major version. */
export function client2(
  mode: VersionNegotiationMode | undefined,
  revision: string,
  supportedProtocolVersions?: string[],
): ClientKind {
  const name = mode === undefined ? 'as it comes' : typeof mode === 'string' ? mode : `pinned to ${mode.pin}`;
  return {
    title: `client 2 ${name}${supportedProtocolVersions ? ` at ${revision}` : ''}`,
    revision,
    async connect(harness, token, wire) {
      const exchanges: Exchange[] = [];
      const errors: Error[] = [];
      const options = {
        ...(mode && { versionNegotiation: { mode } }),
        ...(supportedProtocolVersions && { supportedProtocolVersions }),
      };
      const client = new Client(us, options);
      client.onerror = (error) => errors.push(error);
      await client.connect(
        new StreamableHTTPClientTransport(new URL('/mcp', harness.url), {
          requestInit: { headers: { Authorization: `Bearer ${token}` } },
          fetch: noteFetch(exchanges, wire),
        }),
      );
      return {
        exchanges,
        errors,
        negotiated: client.getNegotiatedProtocolVersion()!,
        serverInfo: client.getServerVersion(),
        instructions: client.getInstructions(),
        listTools: async () => (await client.listTools()).tools,
        callTool: async (name, args) =>
          (await client.callTool({ name, arguments: { ...args } })) as unknown as CallResult,
        ...useTexts(client),
        close: () => client.close(),
      };
    },
  };
}

/**
 * `@modelcontextprotocol/sdk`, the first: it asks for its newest revision, and takes whichever it is given.
 */
export function client1(revision: string): ClientKind {
  return {
    title: `client 1 at ${revision}`,
    revision,
    async connect(harness, token, wire = {}) {
      const exchanges: Exchange[] = [];
      const errors: Error[] = [];
      const client = new Client1(us);
      client.onerror = (error) => errors.push(error);
      const transport = new Transport1(new URL('/mcp', harness.url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
        fetch: noteFetch(exchanges, {
          ...wire,
          // As a client of that revision would have sent it.
          alterRequest: (message) => {
            if (message.method === 'initialize') message.params.protocolVersion = revision;
            wire.alterRequest?.(message);
          },
        }),
      });
      await client.connect(transport);
      return {
        exchanges,
        errors,
        negotiated: transport.protocolVersion!,
        serverInfo: client.getServerVersion(),
        instructions: client.getInstructions(),
        listTools: async () => (await client.listTools()).tools,
        callTool: async (name, args) =>
          (await client.callTool({ name, arguments: { ...args } })) as unknown as CallResult,
        ...useTexts(client),
        close: () => client.close(),
      };
    },
  };
}
