import { type Static, Type } from 'typebox';
import { Refusal } from '#platform/errors/errors';
import { closed, uuid } from '#platform/http/schemas';
import type { Asset } from '../assets.ts';
import { parseWithdrawal, withdrawalBody } from '../wire.ts';
import type { BulkItem, Faulty } from './item.ts';

/** Their statement takes about a second, and so many still fit into a spreadsheet that a person checks. */
const itemsMax = 1_000;

/** Room for that many with long texts. */
export const bulkBytesMax = 512 * 1024;

export const bulkBody = Type.Object(
  {
    withdrawals: Type.Array(withdrawalBody, {
      minItems: 1,
      maxItems: itemsMax,
      description: 'Each as in “Create a withdrawal”',
    }),
  },
  closed,
);

export const createdBulk = Type.Object({
  message: Type.String(),
  data: Type.Object({
    bulkId: uuid,
    count: Type.Integer({ description: 'How many withdrawals have this bulk id' }),
  }),
});

/** Reads each item, or says what is wrong with it. */
export const parseBulk = (
  assets: readonly Asset[],
  { withdrawals }: Static<typeof bulkBody>,
): (BulkItem | Faulty)[] =>
  withdrawals.map((one, at) => {
    try {
      return parseWithdrawal(assets, one);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.details) throw error;
      const faults = error.details.map(({ field, message }) => ({
        field: `withdrawals.${at}.${field}`,
        message,
      }));
      return { faults };
    }
  });
