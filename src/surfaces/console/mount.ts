import type { Ctx, Deps } from '#context';
import type { Command } from '#platform/commands/command';
import type { FastifyReply, FastifyRequest, HttpServer } from '#platform/http/http';
import type { GaugeSource } from '#platform/observe/metrics';
import type { Form } from '#platform/pages/form';
import type { Job } from '#platform/worker/jobs';
import type { CallCommand } from './call-command.ts';
import type { SharedNodes, SharedWallets } from './share-answer.ts';
import type { Visit } from './visit.ts';

export interface ConsoleOptions {
  commands: readonly Command<Ctx>[];
  /** Commands that are stored for a second operator. */
  fourEyes: ReadonlySet<string>;
  gauges: readonly GaugeSource<Deps>[];
  jobs: readonly Pick<Job<Deps>, 'name' | 'everyMs'>[];
  /** An input that a test sent, by the name of the command. */
  exampleOf(name: string): object | undefined;
}

/** What a page is made of. */
export interface PageRequest {
  visit: Visit;
  call: CallCommand;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Who may send a form, and how much of it is read. */
export interface FormTerms {
  bodyLimit?: number;
  /** Throws for a person who may not send it. */
  admit(visit: Visit, request: FastifyRequest): void;
}

export interface FormRequest extends PageRequest {
  form: Form;
}

export interface Mount {
  scope: HttpServer;
  server: HttpServer;
  deps: Deps;
  options: ConsoleOptions;
  sharedWallets: SharedWallets;
  sharedNodes: SharedNodes;
  /** Adds a page for signed-in staff of the operator. */
  page(path: string, render: (given: PageRequest) => Promise<string | FastifyReply>): void;
  /** Adds the address of a form, which must have the token of the session. */
  form(path: string, terms: FormTerms, answer: (given: FormRequest) => Promise<string | FastifyReply>): void;
}
