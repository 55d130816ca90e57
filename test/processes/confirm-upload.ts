// A separate process for the tests of uploaded files: confirms one for each message, and may die on the way.
import { contextFor } from '#context';
import { listAssets } from '#features/withdrawals';
import { createLog } from '#platform/observe/log';
import { confirmUpload, findUpload } from '../../src/features/withdrawals/uploads/confirm-upload.ts';
import { createDeps } from '../../src/main.ts';
import { testConfig } from '../harness.ts';

export interface ConfirmOrder {
  partnerId: string;
  personId: string;
  uploadId: string;
  /** Before anything is stored, or once it is committed and nobody was answered. */
  diesAt?: 'begin' | 'end';
}

const deps = createDeps(testConfig(process.argv[2]!), createLog({ level: 'silent' }));
const die = () => process.kill(process.pid, 'SIGKILL');

process.on('message', async ({ partnerId, personId, uploadId, diesAt }: ConfirmOrder) => {
  const ctx = contextFor(deps, { kind: 'person', partnerId, personId } as const, deps.log);
  const upload = await findUpload(ctx, { uploadId });
  const confirmed = await confirmUpload(ctx, listAssets(deps.evm, []), {
    upload,
    times: 0,
    origin: { callerAddress: null, requestId: uploadId },
    admit: async () => void (diesAt === 'begin' && die()),
  });
  if (diesAt === 'end') die();
  process.send!(confirmed);
});
process.on('disconnect', () => process.exit());
process.send!('ready');
