import { type Detail, Refusal } from '#platform/errors/errors';
import { describeForm } from '#platform/http/forms';
import { lazyValidator } from '#platform/http/lazy-validator';
import type { Asset } from '../assets.ts';
import type { BulkItem, Faulty } from '../bulk/item.ts';
import { parseWithdrawal, withdrawalBody } from '../wire.ts';
import type { FileRow } from './queries.ts';

const body = lazyValidator(withdrawalBody);

/** Each row by the checks of a creation; its faults are named by its place, as those of a bulk are. */
export const readRows = (assets: readonly Asset[], rows: readonly FileRow[]): (BulkItem | Faulty)[] =>
  rows.map(({ row: _row, ...given }, at) => {
    const faults = faultsOf(assets, given);
    if (faults.length === 0) return parseWithdrawal(assets, given);
    return { faults: faults.map(({ field, message }) => ({ field: `withdrawals.${at}.${field}`, message })) };
  });

function faultsOf(assets: readonly Asset[], given: Omit<FileRow, 'row'>): Detail[] {
  const empty = Object.entries(given).filter(([, text]) => text === '');
  if (empty.length > 0) return empty.map(([field]) => ({ field, message: 'must not be empty' }));
  if (!body.check(given)) return [...body.errors(given)].flatMap(describeError);
  try {
    parseWithdrawal(assets, given);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal) || !error.details) throw error;
    return [...error.details];
  }
}

interface Fault {
  keyword: string;
  instancePath: string;
  params: object;
  message: string;
}

/** The other half of a union says less. */
const describeError = ({ keyword, instancePath, params, message }: Fault): Detail[] => {
  if (keyword === 'anyOf' || (params as { type?: unknown }).type === 'null') return [];
  return [{ field: instancePath.slice(1), message: describeForm(keyword, params) ?? message }];
};
