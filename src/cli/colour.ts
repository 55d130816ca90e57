import { styleText } from 'node:util';

const colours: Record<string, 'green' | 'yellow' | 'red'> = {
  completed: 'green',
  active: 'green',
  settled: 'green',
  queued: 'yellow',
  pending: 'yellow',
  processing: 'yellow',
  awaiting: 'yellow',
  locked: 'yellow',
  inactive: 'yellow',
  failed: 'red',
  declined: 'red',
  expired: 'red',
  rejected: 'red',
  revoked: 'red',
  canceled: 'red',
  suspended: 'red',
};

/** A cell of a table or a record: the states of things have colours. */
export function colourCell(field: string, text: string): string {
  const colour = /^(status|state|outcome)$/.test(field) ? colours[text] : undefined;
  return colour ? styleText(colour, text) : text;
}
