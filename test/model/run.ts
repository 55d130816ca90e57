// `node test/model/run.ts [--bumps=2 …]`: every state of the payout protocol in a world of that size. With
// --mutants: the shortest way to the harm that each departure from the protocol does.
import { parseArgs } from 'node:util';
import { mutants } from './mutants.ts';
import { describeBounds, describeOutcome, searchPayouts, usualBounds } from './payouts.ts';

const sizes = Object.keys(usualBounds).map((name) => [name, { type: 'string' }] as const);
const { values } = parseArgs({ options: { mutants: { type: 'boolean' }, ...Object.fromEntries(sizes) } });

if (values.mutants) {
  for (const { departure, bounds, breaks } of mutants) {
    console.log(`\nA worker that ${departure}, with ${describeBounds(bounds)}`);
    for (const promise of breaks) {
      const outcome = searchPayouts(bounds, departure, promise);
      console.log(describeOutcome(outcome));
      if (outcome.broken?.promise !== promise) process.exitCode = 1;
    }
  }
} else {
  const given = Object.entries(values).map(([name, size]) => [name, Number(size)]);
  const bounds = { ...usualBounds, ...Object.fromEntries(given) };
  console.log(`The protocol, with ${describeBounds(bounds)}`);
  const outcome = searchPayouts(bounds);
  console.log(describeOutcome(outcome));
  if (outcome.broken) process.exitCode = 1;
}
