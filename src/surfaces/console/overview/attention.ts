import type { StalledJobs } from '#platform/worker/stalled-jobs';
import type { CallCommand } from '../call-command.ts';
import type { Figure, ReadFigures } from '../figures.ts';
import type { ShownNetwork } from '../nodes/shown-network.ts';
import type { Texts } from '../texts/index.ts';
import type { Wallet } from '../wallets/read-wallets.ts';

/** Something that an operator should look at, and the page where it is solved. */
export interface Item {
  text: string;
  address: string;
  /** Payments or money wait for it. */
  isGrave: boolean;
}

export interface Given {
  figures: ReadFigures;
  call: CallCommand;
  words: Texts;
  /** Undefined if they could not be read. */
  wallets: readonly Wallet[] | undefined;
  /** Undefined if they could not be read. */
  nodes: readonly ShownNetwork[] | undefined;
  /** Undefined if they could not be read. */
  readJobs(): Promise<StalledJobs | undefined>;
}

export interface Sources extends Given {
  figures(name: string): Promise<readonly Figure[]>;
}
