/**
 * Stops once, on the first SIGTERM or SIGINT; further ones change nothing. Resolves when everything is down.
 */
export function stopOnSignal(stop: () => Promise<void>): Promise<void> {
  let stopped: Promise<void> | undefined;
  return new Promise((resolve, reject) => {
    const onSignal = () => {
      stopped ??= stop();
      stopped.then(resolve, reject);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal);
  });
}
