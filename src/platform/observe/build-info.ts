import { readFileSync } from 'node:fs';
import type { GaugeSource } from './metrics.ts';

// As far from the sources as from what a package has of them.
const manifest = new URL('../../../package.json', import.meta.url);
export const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };

export const buildInfo: GaugeSource<unknown> = {
  name: 'causeway_build_info',
  help: 'Always 1; the labels are the version of Causeway and of Node.',
  labels: ['version', 'node_version'],
  read: async () => [{ labels: { version, node_version: process.version }, value: 1 }],
};
