import path from 'node:path';
import { readCommandLineSetting } from '#config/settings/command-line';
import { StartupError, Unreachable } from '#platform/errors/startup-error';
import { type Simulated, simulationList, simulationNames } from '../sandbox/door/simulation-list.ts';
import { readSandboxFile, type SandboxFile } from '../sandbox/sandbox-file.ts';
import { exitCodes, UsageFault } from './exit-codes.ts';
import { suggest } from './suggest.ts';

const timeoutMs = 60_000;

/** `causeway sandbox simulate <name>`: an accident in the sandbox that runs in this folder. */
export async function runSimulation(args: readonly string[]): Promise<number> {
  const [name, ...others] = args;
  if (name === undefined) {
    console.log(describeSimulations());
    return exitCodes.fine;
  }
  if (!(name in simulationList) || others.length > 0) {
    const meant = suggest(name, simulationNames);
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    throw new UsageFault(`Unknown simulation "${args.join(' ')}".${hint} See: causeway sandbox simulate`);
  }
  const home = path.resolve(readCommandLineSetting(process.env, 'CAUSEWAY_HOME')!);
  const sandbox = readSandboxFile(home);
  if (!sandbox)
    throw new Unreachable(`No sandbox has been started in ${home}. Start one with \`npm start\`.`);
  const { text, look } = await ask(sandbox, name);
  console.log(`${text}\n\nSee it:`);
  for (const request of look) console.log(`  ${describeRequest(sandbox, request)}`);
  return exitCodes.fine;
}

async function ask({ baseUrl, operatorToken }: SandboxFile, name: string): Promise<Simulated> {
  const response = await fetch(`${baseUrl}/sandbox/simulate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause) => {
    throw new Unreachable(`The sandbox at ${baseUrl} does not answer. Start it with \`npm start\`.`, {
      cause,
    });
  });
  const body = (await response.json()) as { data?: Simulated; error?: string };
  if (!body.data) throw new StartupError(`The sandbox refused: ${body.error ?? response.status}.`);
  return body.data;
}

function describeRequest(
  { baseUrl, keys, integrations }: SandboxFile,
  { path, as }: Simulated['look'][number],
): string {
  const header =
    as === 'partner' ? `Authorization: Bearer ${keys.full.token}` : `x-api-key: ${integrations.main.apiKey}`;
  return `curl -s '${baseUrl}${path}' -H '${header}'`;
}

function describeSimulations(): string {
  const width = Math.max(...simulationNames.map((name) => name.length));
  const lines = Object.entries(simulationList).map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
  return `causeway sandbox simulate <name>\n\n${lines.join('\n')}`;
}
