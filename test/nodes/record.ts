/**
 * Runs the scenario on a node and writes its answers to `recorded/`.
 * `test/nodes/README.md` says how to start each node.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { dialects, playScenario } from './scenario.ts';

const [client, version, rpcUrl, dialect = client] = process.argv.slice(2);
const chosen = dialects[dialect ?? ''];
if (!client || !version || !rpcUrl || !chosen) {
  console.error('usage: record.ts <client> <version> <rpc url> [anvil | hardhat | ganache | tevm]');
  process.exit(1);
}

const exchanges = await playScenario(rpcUrl, chosen);
const file = path.join(import.meta.dirname, 'recorded', `${client}-${version}.json`);
writeFileSync(file, `${JSON.stringify({ client, version, exchanges }, null, 2)}\n`);
console.log(`${file}: ${exchanges.length} steps`);
