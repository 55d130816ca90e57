import { readFileSync } from 'node:fs';

const file = new URL('../../../database/schema.sql', import.meta.url);

/**
 * The indexes of this release by name, as `database/schema.sql` has them. Those of constraints have the
 * constraint's name and no definition.
 */
export function readExpectedIndexes(): ReadonlyMap<string, string | undefined> {
  const lines = readFileSync(file, 'utf8').split('\n');
  return new Map(lines.flatMap((line) => indexOf(line) ?? []));
}

function indexOf(line: string): [[name: string, definition: string | undefined]] | undefined {
  const [first, name = '', kind = ''] = line.trim().split(' ');
  if (first === 'constraint' && kindsWithIndex.includes(kind)) return [[name, undefined]];
  const [, indexName] = /^CREATE (?:UNIQUE )?INDEX (\w+) ON /.exec(line) ?? [];
  return indexName === undefined ? undefined : [[indexName, line.replace(/;$/, '')]];
}

/** The first words of primary keys, unique and exclusion constraints. */
const kindsWithIndex = ['PRIMARY', 'UNIQUE', 'EXCLUDE'];
