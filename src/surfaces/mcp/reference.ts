import { type TSchema, Type } from 'typebox';
import type { Tool } from '#platform/commands/tool';
import type { ErrorCase, Examples, Operation } from '#platform/reference/operation';
import { mcpErrors, type RpcError } from './errors.ts';
import recorded from './examples.json' with { type: 'json' };

/** Arguments and payload of a call, by the name of the tool; `npm run examples` records them. */
const examples: Readonly<Record<string, { arguments: object; payload: object }>> = recorded;

const id = Type.Union([Type.Integer(), Type.String()]);

const rpcError = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Union([id, Type.Null()], {
      description: 'Null without a valid key, or if the body is not JSON',
    }),
    error: Type.Object({
      code: Type.Integer(),
      message: Type.String(),
      data: Type.Optional(
        Type.Object({
          retryAfterSeconds: Type.Optional(Type.Integer({ description: 'Wait so long, then try again' })),
          requestId: Type.Optional(Type.String({ description: 'With an internal error' })),
        }),
      ),
    }),
  },
  { title: 'RpcError' },
);

/** The body of `tools/call`. */
export const mcpRequest = (tools: readonly Tool[]) =>
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id,
      method: Type.Literal('tools/call'),
      params: Type.Object({
        name: Type.Enum(tools.map(({ name }) => name)),
        arguments: Type.Optional(
          Type.Unsafe({
            description: 'Arguments of the tool',
            anyOf: tools.map(({ name, input }) => named(`${name}Arguments`, input)),
          }),
        ),
      }),
    },
    { title: 'ToolCall' },
  );

/** The 200 of `tools/call`: the tool's result, or a JSON-RPC error. */
const mcpAnswer = (tools: readonly Tool[]) => {
  const text = {
    type: 'string',
    description: 'JSON of the payload; if `isError` is true, a text that says what was wrong',
    contentMediaType: 'application/json',
    contentSchema: { anyOf: tools.map(({ name, output }) => named(`${name}Payload`, output)) },
  };
  const result = Type.Object({
    content: Type.Array(Type.Object({ type: Type.Literal('text'), text: Type.Unsafe<string>(text) })),
    isError: Type.Optional(Type.Boolean({ description: 'True for a handled error' })),
  });
  const answer = Type.Object({ jsonrpc: Type.Literal('2.0'), id, result }, { title: 'ToolAnswer' });
  return Type.Unsafe({ title: 'McpAnswer', oneOf: [answer, rpcError] });
};

const named = (name: string, schema: TSchema) => ({
  ...schema,
  title: name[0]!.toUpperCase() + name.slice(1),
});

const envelope = (body: object) => ({ jsonrpc: '2.0', id: 1, ...body });
const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

export function mcpReference(tools: readonly Tool[]): Operation {
  const known = tools.filter(({ name }) => name in examples);
  const requests: Examples = Object.fromEntries(
    known.map(({ name, title }) => {
      const params = { name, arguments: examples[name]!.arguments };
      return [name, { summary: title, value: envelope({ method: 'tools/call', params }) }];
    }),
  );
  const answers: Examples = Object.fromEntries(
    known.map(({ name, title }) => {
      const result = textResult(JSON.stringify(examples[name]!.payload));
      return [name, { summary: title, value: envelope({ result }) }];
    }),
  );
  const refused = { ...textResult('Card not found.'), isError: true };
  return {
    audience: 'partner',
    tag: 'MCP',
    id: 'callTool',
    summary: 'Call a tool',
    description: describe(tools),
    security: 'apiKey',
    requests,
    answers: {
      200: {
        description: 'The result of the tool, or a JSON-RPC error.',
        schema: mcpAnswer(tools),
        examples: {
          ...answers,
          refused: { summary: 'A handled error', value: envelope({ result: refused }) },
          unknownTool: rpcExample(mcpErrors.unknownTool({ message: 'Unknown tool: getCard' })),
          invalidParams: rpcExample(mcpErrors.invalidParams()),
          methodNotFound: rpcExample(mcpErrors.methodNotFound()),
          internalError: rpcExample(mcpErrors.internalError()),
        },
      },
    },
    errors: rpcCases,
  };
}

function describe(tools: readonly Tool[]): string {
  const rows = tools.map(({ name, title, scope }) => `- \`${name}\`: ${title}. Scope \`${scope}\`.`);
  return [
    'JSON-RPC 2.0, one message in a POST, one JSON answer. The payload of a tool is JSON in',
    '`result.content[0].text`. All tools read and change data of the user that owns the key.',
    '',
    'MCP clients can use this address: `initialize`, `ping`, `tools/list`, prompts and resources work as the',
    'protocol says. A plain `tools/call`, as here, needs no handshake. `tools/list` shows short forms of the',
    'schemas below.',
    '',
    ...rows,
    '',
    'A key without `mcp` is refused with 403. One without `mcp:write` gets a result with `isError` from the',
    'tools that need it. At most 60 requests of a user in 10 seconds.',
  ].join('\n');
}

const bodyOf = ({ code, message, data, status }: RpcError) => ({
  jsonrpc: '2.0',
  id: status === 401 || code === -32700 || code === -32600 ? null : 1,
  error: { code, message, ...(data && { data }) },
});

const rpcExample = (error: RpcError) => ({ summary: error.message, value: bodyOf(error) });

const rpcCases: ErrorCase[] = (
  [
    [mcpErrors.notJson(), 'The body is not JSON'],
    [mcpErrors.batch(), 'The body is an array'],
    [mcpErrors.invalidRequest(), 'The body is no JSON-RPC message'],
    [mcpErrors.unauthorized(), 'The key is missing, unknown, expired or revoked'],
    [mcpErrors.addressNotAllowed(), 'The key has an IP allowlist, and the caller is not on it'],
    [mcpErrors.mcpScopeMissing(), 'The key lacks the scope `mcp`'],
    [mcpErrors.revealScopeMissing(), 'A reveal with a key that lacks the scope `mcp_card_reveal`'],
    [mcpErrors.originNotAllowed(), 'A page of another origin sent the request'],
    [mcpErrors.hostNotAllowed(), 'The header `Host` is not allowed'],
    [mcpErrors.methodNotAllowed(), 'The method is not POST. `Allow` says so'],
    [mcpErrors.bodyTooLarge(), 'The body is larger than the limit'],
    [mcpErrors.unsupportedMediaType(), 'The body is not JSON'],
    [
      mcpErrors.rateLimitExceeded({ data: { retryAfterSeconds: 3 } }),
      'More than 60 requests of the user in 10 seconds',
    ],
    [mcpErrors.unavailable(), 'The database does not answer, or the service stops. Try again later'],
  ] as const
).map(([error, when]) => {
  const { status, code, message } = error;
  return { status, code: `rpc${code}`, message, when, body: bodyOf(error), schema: rpcError };
});
