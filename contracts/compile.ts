// `npm run contracts`: compiles contracts/test-tokens.sol with the npm compiler and writes
// src/sandbox/devnet/test-tokens.json.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import solc from 'solc';

const source = 'contracts/test-tokens.sol';
const root = path.resolve(import.meta.dirname, '..');
export const artifactFile = path.join(root, 'src/sandbox/devnet/test-tokens.json');

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>;
}

/** The text of the artifact: bytecode for each token, the same on every machine. */
export function compileTokens(): string {
  const input = {
    language: 'Solidity',
    sources: { [source]: { content: readFileSync(path.join(root, source), 'utf8') } },
    settings: {
      // The oldest rules that all three networks have had for years, so that any node runs it.
      evmVersion: 'paris',
      optimizer: { enabled: true, runs: 200 },
      metadata: { bytecodeHash: 'none' },
      outputSelection: {
        [source]: { StandardToken: ['evm.bytecode.object'], SilentToken: ['evm.bytecode.object'] },
      },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
  const contracts = output.contracts[source]!;
  const bytecode = (name: string) => `0x${contracts[name]!.evm.bytecode.object}`;
  const artifact = {
    compiler: solc.version(),
    StandardToken: bytecode('StandardToken'),
    SilentToken: bytecode('SilentToken'),
  };
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

if (process.argv.includes('--write')) writeFileSync(artifactFile, compileTokens());
