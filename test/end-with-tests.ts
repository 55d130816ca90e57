// Loaded into each test process. A process that does not end after its last test, such as because a failed
// `before` left a server open, fails and says what keeps it alive.
import { after } from 'node:test';

const graceMs = 60_000;

after(() => {
  setTimeout(() => {
    const kept = process.getActiveResourcesInfo().join(', ');
    console.error(`${process.argv[1]} goes on after its last test, because of: ${kept}`);
    process.exit(1);
  }, graceMs).unref();
});
