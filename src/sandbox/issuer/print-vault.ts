// `node src/sandbox/issuer/print-vault.ts <folder>`: the test numbers of a sandbox's cards, one a line. A
// separate process, so that a test which checks that the service never sees them does not see them either.
import { readVault } from './vault.ts';

const [folder] = process.argv.slice(2);
if (!folder) {
  console.error('Name the folder of the sandbox’s issuer, such as .causeway/issuer.');
  process.exit(1);
}
for (const { cardId, number, code } of readVault(folder)) console.log(`${cardId} ${number} ${code}`);
