import { cliFile, runCli } from './run-cli.ts';

export interface TerminalOptions {
  cwd: string;
  columns: number;
  env?: Record<string, string>;
}

/** Erases the line, as progress does before it draws the next one. */
export const eraseLine = '\r\u001b[2K';

/**
 * Runs the CLI in a real terminal of this width, by `script`: all that both outputs write (`written`), and
 * what is left on the screen.
 */
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
  const written = out.replaceAll('\r\n', '\n');
  const lines = written.split('\n').map((line) => line.split(eraseLine).at(-1));
  return { code, written, screen: lines.join('\n') };
}
