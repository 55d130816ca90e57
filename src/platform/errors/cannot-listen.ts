import { StartupError } from './startup-error.ts';

export type PortSetting = 'PORT' | 'METRICS_PORT';

/** One sentence, with what to do if the port is taken. */
export function cannotListen(
  error: NodeJS.ErrnoException,
  { host, port, name }: { host: string; port: number; name: PortSetting },
): StartupError {
  if (error.code === 'EADDRINUSE') {
    const other = `${name}=${port + 1}`;
    return new StartupError(`Port ${port} is taken: choose another with ${name}, such as ${other}.`);
  }
  return new StartupError(`Cannot listen on ${host} port ${port}: ${error.message}.`);
}
