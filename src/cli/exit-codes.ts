import { ConfigFault } from '#config/setting';
import { StartupError, Unreachable } from '#platform/errors/startup-error';
import { fitLines } from './view.ts';

/** The table in docs/operating.md explains each. */
export const exitCodes = {
  fine: 0,
  faultFound: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  internal: 5,
  waits: 6,
} as const;

/** A mistake on the command line; the message says what to type instead. */
export class UsageFault extends Error {}

/** The command was not executed, for a reason that the user can act on. */
export class CommandFault extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Shows the message of a fault that the user can fix. Anything else is a bug, shown with its stack. */
export function reportFault(error: unknown): number {
  const exitCode = exitCodeOf(error);
  if (exitCode === exitCodes.internal) console.error(error);
  else console.error(fitLines((error as Error).message, process.stderr));
  return exitCode;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFault) return error.exitCode;
  if (error instanceof UsageFault || error instanceof ConfigFault) return exitCodes.usage;
  if (error instanceof Unreachable) return exitCodes.unreachable;
  return error instanceof StartupError ? exitCodes.refused : exitCodes.internal;
}
