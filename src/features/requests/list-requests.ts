import type { Ctx } from '#context';
import {
  type CursorInput,
  type CursorPage,
  decodeCursor,
  nameList,
  toCursorPage,
} from '#platform/commands/cursor-page';
import { readPeriod } from '#platform/values/instant';
import { type RequestRow, selectRequests } from './queries.ts';
import { type LoggedRequest, presentRequest } from './wire.ts';

export interface ListRequests extends CursorInput {
  partnerId?: string;
  keyId?: string;
  requestId?: string;
  status?: '2xx' | '4xx' | '5xx';
  route?: string;
  by?: 'key' | 'person';
  startDate?: string;
  endDate?: string;
}

/** What was asked with keys of partners and by their people, newest first. */
export async function listRequests(ctx: Ctx, input: ListRequests): Promise<CursorPage<LoggedRequest>> {
  const { cursor, limit = 50, startDate, endDate, status, partnerId, requestId, ...plain } = input;
  const filters = {
    ...plain,
    ...readPeriod(['startDate', startDate], ['endDate', endDate]),
    partnerId: partnerId?.toLowerCase(),
    requestId: requestId?.toLowerCase(),
    hundred: status && Number(status[0]),
  };
  const list = nameList('requests.list', filters);
  const before = readPlace(decodeCursor(list, cursor, placeForm));
  const { limits } = ctx.installation;
  const rows = await selectRequests(limits?.isApart ? limits.db : ctx.db, {
    ...filters,
    before,
    limit: limit + 1,
  });
  const page = toCursorPage(list, rows, limit, placeText);
  return { ...page, items: page.items.map(presentRequest) };
}

/** Milliseconds and the id, because requests of one instant have the order of their ids. */
const placeForm = /^\d{1,15}\/[0-9a-f-]{36}$/;

const placeText = ({ at, requestId }: RequestRow) => `${at.getTime()}/${requestId}`;

function readPlace(text: string | undefined) {
  if (text === undefined) return undefined;
  const [ms = '', requestId = ''] = text.split('/');
  return { at: new Date(Number(ms)), requestId };
}
