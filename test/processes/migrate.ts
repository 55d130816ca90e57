// A process of its own for the tests of migrations: says that it is ready, waits for the word, migrates, says what it applied.
import { migrate } from '#platform/db/migrate';

process.on('message', async () => {
  const applied = await migrate(process.argv[2]!);
  process.send!(applied, () => process.disconnect());
});
process.send!('ready');
