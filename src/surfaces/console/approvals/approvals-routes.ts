import { readFileSync } from 'node:fs';
import path from 'node:path';
import { serveAsset, versioned } from '#surfaces/frame';
import type { Mount } from '../mount.ts';
import { renderApprovals } from './approvals-page.ts';
import { readPayments, readStored } from './read-waiting.ts';

const script = readFileSync(path.join(import.meta.dirname, 'decide.js'), 'utf8');
const scriptAddress = versioned('/console/decide.js', script);

/** So that the page stays small. */
const paymentsMax = 20;

/** `/console/approvals`. */
export function approvalRoutes({ scope, page, deps, options }: Mount): void {
  const byName = new Map(options.commands.map((command) => [command.name, command]));
  serveAsset(scope, { path: '/decide.js', type: 'text/javascript', address: scriptAddress, text: script });
  page('/approvals', async (given) => {
    const [{ stored, nextCursor }, payments] = await Promise.all([
      readStored(given, byName),
      readPayments(deps, given),
    ]);
    return renderApprovals(given.visit, {
      stored,
      nextCursor,
      payments: payments.slice(0, paymentsMax),
      morePayments: Math.max(payments.length - paymentsMax, 0),
      script: scriptAddress,
    });
  });
}
