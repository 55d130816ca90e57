import type { Deps } from '#context';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import type { Form } from '#platform/pages/form';
import type { CallApi, Pages } from '#surfaces/frame';
import type { Visit } from './visit.ts';

/** What a page is made of. */
export interface PageRequest {
  visit: Visit;
  /** Calls a route of the partner API as this person. */
  call: CallApi;
  request: FastifyRequest;
  reply: FastifyReply;
}

type Shown = Promise<string | FastifyReply>;

export interface PartnerPageOptions {
  /** Types of events that partners can receive. */
  eventTypes: readonly string[];
}

export interface Mount {
  scope: HttpServer;
  server: HttpServer;
  deps: Deps;
  options: PartnerPageOptions;
  page(path: string, render: (given: PageRequest) => Shown): void;
  form(
    path: string,
    answer: (given: PageRequest & { form: Form }) => Shown,
    options?: Parameters<Pages<Visit>['form']>[2],
  ): void;
}
