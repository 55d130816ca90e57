import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordOfStatus } from '#surfaces/frame';
import { commands } from '../../app.ts';
import { frameWords } from '../frame/words.ts';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  enum?: string[];
}

/** Values of fields that pages show as a status. */
function statusesIn(schema: Schema, field = ''): string[] {
  const isStatus = field === 'status' || field === 'state';
  return [
    ...(isStatus ? (schema.enum ?? []) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => statusesIn(inner, name)),
    ...(schema.items ? statusesIn(schema.items, field) : []),
    ...(schema.anyOf ?? []).flatMap((inner) => statusesIn(inner, field)),
  ];
}

test('each status that an answer of a command may have has a word in Portuguese', () => {
  const all = new Set(commands.flatMap(({ output }) => statusesIn(output as Schema)));
  assert.ok(all.has('completed') && all.has('locked') && all.size > 30, [...all].join());
  const frame = frameWords['pt-BR'];
  const wordless = [...all].filter((status) => frame.statuses[status] === undefined);
  assert.deepEqual(wordless, []);
  assert.equal(wordOfStatus({ frame }, 'locked'), 'bloqueado');
});
