import type { Deps } from '#context';
import { Refusal } from '#platform/errors/errors';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import type { Form } from '#platform/pages/form';
import { type CallApi, useOnce } from '#surfaces/frame';
import type { Visit } from './visit.ts';

export interface DeveloperOptions {
  /** Developers may apply at `/developers/apply`; default true. */
  acceptsApplications?: boolean;
}

/** What a page is made of. */
export interface PageRequest {
  visit: Visit;
  /** Calls a route of the API as this person. */
  call: CallApi;
  request: FastifyRequest;
  reply: FastifyReply;
}

export type Sent = PageRequest & { form: Form };
type Shown = Promise<string | FastifyReply>;

export interface Mount {
  scope: HttpServer;
  deps: Deps;
  options: DeveloperOptions;
  page(path: string, render: (given: PageRequest) => Shown): void;
  form(path: string, answer: (given: Sent) => Shown): void;
}

/** Runs a form that counts once. `again` shows it with what was typed, if the API refuses. */
export async function runOnce(
  { deps }: Mount,
  { visit, reply, form }: Sent,
  { run, again }: { run(): Shown; again(refusal: Refusal): Shown },
): Shown {
  await useOnce(deps, visit.session, form);
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error;
    reply.status(error.status);
    return again(error);
  }
}
