// Loaded into each process of tests: one that does not end after its last test, such as for a server that a
// failed `before` left open, fails and says what keeps it, instead of holding the run up for ever.
import { after } from 'node:test';

const graceMs = 60_000;

after(() => {
  setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join(', ');
    console.error(`${process.argv[1]} goes on after its last test, because of: ${kept}`);
    process.exit(1);
  }, graceMs).unref();
});
