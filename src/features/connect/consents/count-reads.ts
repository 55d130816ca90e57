import type { Deps, IntegrationActor } from '#context';
import { asRefusal } from '#platform/http/as-refusal';
import { callerOf } from '#platform/http/caller';
import type { FastifyReply, FastifyRequest } from '#platform/http/http';
import { upsertReadCount } from './queries/figures.ts';

type Step<T> = (request: FastifyRequest, reply: FastifyReply) => Promise<T>;

/**
 * Counts reads of consented data by how they ended, so that people of the integration find their errors. The
 * request does not wait for it, and a count that fails is left out.
 */
export function countingReads({ db, clock }: Deps) {
  const count = (request: FastifyRequest, outcome: string): void => {
    const { integrationId } = callerOf<IntegrationActor>(request, 'integration');
    upsertReadCount(db, { integrationId, at: clock(), outcome }).catch(() => undefined);
  };
  const refusals =
    <T>(step: Step<T>): Step<T> =>
    async (request, reply) => {
      try {
        return await step(request, reply);
      } catch (error) {
        count(request, asRefusal(error).code);
        throw error;
      }
    };
  const all = <T>(step: Step<T>): Step<T> =>
    refusals(async (request, reply) => {
      const answer = await step(request, reply);
      count(request, 'ok');
      return answer;
    });
  return { refusals, all };
}
