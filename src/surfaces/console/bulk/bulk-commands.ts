import type { Item } from '#platform/commands/values';

/** A command that may run for several records with one confirmation. */
export interface BulkCommand {
  /** The field that names the record. */
  each: string;
  most: number;
  /** Fields that are typed at the confirmation; the others come with the choice. */
  asked: readonly string[];
  /** What the confirmation shows about each record: fields of the answer of a read. */
  read?: { command: string; field: string; shown: readonly string[] };
}

export const bulkCommands: Readonly<Record<string, BulkCommand>> = {
  'approvals.decide': {
    each: 'id',
    most: 50,
    asked: ['comment'],
    read: {
      command: 'approvals.show',
      field: 'id',
      shown: ['command', 'requestedBy', 'requestedAt', 'expiresAt', 'input'],
    },
  },
  'withdrawals.cancel': {
    each: 'withdrawalId',
    most: 100,
    asked: ['reason'],
    read: {
      command: 'withdrawals.show',
      field: 'withdrawalId',
      shown: [
        'status',
        'waitingFor',
        'amount',
        'currency',
        'network',
        'toAddress',
        'externalId',
        'createdAt',
      ],
    },
  },
  'webhooks.replay': { each: 'eventId', most: 100, asked: [] },
};

/** Rows of a list that can be chosen for a command. */
export interface Picking {
  command: string;
  /** The value of the row that names the record. */
  idOf(row: Item): string | undefined;
}

export const pickings: Readonly<Record<string, Picking>> = {
  'withdrawals.list': {
    command: 'withdrawals.cancel',
    idOf: ({ id, status }) => (status === 'queued' || status === 'pending' ? String(id) : undefined),
  },
};
