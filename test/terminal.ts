import { cliFile, runCli } from './run-cli.ts';

export interface TerminalOptions {
  cwd: string;
  columns: number;
  env?: Record<string, string>;
}

/** Runs the CLI in a real terminal of this width, by `script`: what both outputs write to the screen. */
export async function runInTerminal(args: readonly string[], { cwd, columns, env = {} }: TerminalOptions) {
  const words = [process.execPath, cliFile, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const line = `stty cols ${columns} rows 24; exec ${words.join(' ')}`;
  const inTerminal =
    process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', line] : ['-qec', line, '/dev/null'];
  const { code, out } = await runCli(inTerminal, {
    cwd,
    env: { TERM: 'xterm-256color', ...env },
    program: ['script'],
  });
  return { code, screen: out.replaceAll('\r\n', '\n') };
}
