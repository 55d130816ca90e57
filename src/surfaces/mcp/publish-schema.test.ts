import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { Tool } from '#platform/commands/tool';
import { exactObject, nextArguments, toolPagination } from '#platform/commands/tool-shapes';
import { nullable } from '#platform/http/schemas';
import { createToolList } from './list-tools.ts';
import { publishInput, publishOutput } from './publish-schema.ts';

const input = exactObject({
  name: Type.String({ minLength: 1, maxLength: 9, pattern: '^[a-z]+$', description: 'Lower case.' }),
  kind: Type.Optional(Type.Enum(['one', 'two'], { description: 'Which.' })),
  size: Type.Optional(Type.Integer({ minimum: 1, maximum: 9, default: 3 })),
  note: Type.Optional(nullable(Type.String({ maxLength: 5 }), { description: 'Null for no note.' })),
  parts: Type.Array(exactObject({ at: Type.String({ format: 'date-time' }) }), { minItems: 1 }),
});

const output = exactObject({
  id: Type.String({ description: 'Of the thing.' }),
  kind: Type.Enum(['one', 'two']),
  state: nullable(Type.Enum(['on', 'off'])),
  rule: nullable(exactObject({ amount: Type.Literal('5') })),
  parts: Type.Array(exactObject({ at: Type.String({ format: 'date-time' }), pagination: toolPagination })),
  nextArguments: nextArguments(input),
});

test('arguments: what a model needs to write them, closed at the root', () => {
  assert.deepEqual(publishInput(input), {
    type: 'object',
    required: ['name', 'parts'],
    properties: {
      name: { type: 'string', description: 'Lower case.' },
      kind: { type: 'string', enum: ['one', 'two'], description: 'Which.' },
      size: { type: 'integer', maximum: 9, default: 3 },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Null for no note.' },
      parts: {
        type: 'array',
        items: { type: 'object', required: ['at'], properties: { at: { type: 'string' } } },
      },
    },
    additionalProperties: false,
  });
});

test('payloads: names and types', () => {
  assert.deepEqual(publishOutput(output), {
    type: 'object',
    properties: {
      id: { type: 'string' },
      kind: { type: 'string' },
      state: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      rule: { anyOf: [{ type: 'object', properties: { amount: { type: 'string' } } }, { type: 'null' }] },
      parts: {
        type: 'array',
        items: { type: 'object', properties: { at: { type: 'string' }, pagination: { type: 'object' } } },
      },
      nextArguments: { type: 'object' },
    },
  });
});

test('the definitions stay as they are', () => {
  const before = JSON.stringify([input, output]);
  publishInput(input);
  publishOutput(output);
  assert.equal(JSON.stringify([input, output]), before);
});

test('a caller of an older revision gets the title as an annotation, and no output', () => {
  const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
  const words = { name: 'read', title: 'Read it', description: 'Reads.', scope: 'mcp' };
  const tool: Tool = { ...words, hints, input, output, run: async () => ({}) };
  const list = createToolList([tool, { ...tool, scope: 'other' }]);
  const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };
  const { scope: _, ...shown } = words;
  const older = {
    ...shown,
    inputSchema: publishInput(input),
    annotations: { title: 'Read it', ...annotations },
  };
  assert.deepEqual(JSON.parse(list(['mcp'], { listsOutput: false })), [older]);
  const newer = { ...older, outputSchema: publishOutput(output), annotations };
  assert.deepEqual(JSON.parse(list(['mcp'], { listsOutput: true })), [newer]);
});
