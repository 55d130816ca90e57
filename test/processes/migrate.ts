// A separate process for the tests of migrations: reports that it is ready, waits for a signal, migrates,
// reports what it applied.
import { migrate } from '#platform/db/migrate';

process.on('message', async () => {
  const applied = await migrate(process.argv[2]!);
  process.send!(applied, () => process.disconnect());
});
process.send!('ready');
