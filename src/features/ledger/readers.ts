import type { Ctx, KeyActor } from '#context';
import type { NumberedPage } from '#platform/commands/cursor-page';
import { accountFeatures } from './features.ts';
import { listLines } from './lines/list-lines.ts';
import { featureExamples, featureWords } from './reference.ts';
import { listUnsettled } from './unsettled/list-unsettled.ts';
import { ledgerPage, presentPage, toNode, toUnsettledNode, unsettledPage } from './wire.ts';

interface AccountRequest extends NumberedPage {
  startAt?: Date;
  endAt?: Date;
}

/** What `GET /api/history` reads of an account: the owner of the key is the user. */
export const ledgerReaders = [
  ...Object.entries(accountFeatures).map(([feature, types]) => ({
    feature,
    words: featureWords[feature]!,
    answer: ledgerPage,
    example: featureExamples[feature]!,
    async read(ctx: Ctx<KeyActor>, { currentPage, pageSize, startAt, endAt }: AccountRequest) {
      const { userId } = ctx.actor;
      const page = { currentPage, pageSize };
      const { total, lines } = await listLines(ctx, { userId, types, startAt, endAt, ...page });
      return presentPage(lines.map(toNode), total, page);
    },
  })),
  {
    feature: 'account-unsettled',
    words: featureWords['account-unsettled']!,
    answer: unsettledPage,
    example: featureExamples['account-unsettled']!,
    async read(ctx: Ctx<KeyActor>, { currentPage, pageSize, startAt, endAt }: AccountRequest) {
      const page = { currentPage, pageSize };
      const { total, records } = await listUnsettled(ctx, {
        userId: ctx.actor.userId,
        startAt,
        endAt,
        ...page,
      });
      return presentPage(records.map(toUnsettledNode), total, page);
    },
  },
];
