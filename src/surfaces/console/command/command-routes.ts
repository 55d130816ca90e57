import type { Ctx } from '#context';
import { refuseRole } from '#operator-roles';
import type { Command } from '#platform/commands/command';
import { commonErrors, Refusal } from '#platform/errors/errors';
import type { FastifyRequest } from '#platform/http/http';
import { limits } from '#platform/http/limits';
import { type Form, readField } from '#platform/pages/form';
import { issueOnce, openFile, useOnce } from '#surfaces/frame';
import { commandRequest } from '../call-command.ts';
import type { FormRequest, FormTerms, Mount, PageRequest } from '../mount.ts';
import type { Visit } from '../visit.ts';
import {
  type CommandPage,
  renderCommandList,
  renderConfirmation,
  renderForm,
  renderResult,
  renderUnknown,
} from './command-pages.ts';
import { readForm, type Typed } from './read-form.ts';
import { readPreview } from './read-preview.ts';
import { renderRead } from './render-read.ts';
import { requireValid } from './require-valid.ts';

/** Percent-encoded text is up to three times as long. */
const encodedLength = 3;
const [rowsUsual, rowsMax] = [20, 25];

/** A list of commands, and for each a form, a confirmation and a result. */
export function commandRoutes(mount: Mount): void {
  const { options, page } = mount;
  const { commands, fourEyes, exampleOf } = options;
  const byName = new Map(commands.map((command) => [command.name, command]));
  const find = (visit: Visit, request: FastifyRequest) => {
    const command = byName.get((request.params as { name: string }).name);
    if (!command) throw commonErrors.notFound();
    if (!visit.may(command)) throw refuseRole(visit.role, command.name);
    return command;
  };
  const pageOf = (command: Command<Ctx>, typed: Typed, refusal?: Refusal): CommandPage => {
    const example = (exampleOf(command.name) ?? {}) as Record<string, unknown>;
    return { command, byName, waits: fourEyes.has(command.name), example, typed, refusal };
  };

  page('/commands', async ({ visit }) => renderCommandList(visit, commands, fourEyes));

  page('/commands/:name', async (given) => {
    const command = find(given.visit, given.request);
    const typed = typedIn(given.request);
    if (command.changes || !typed.has('run') || isFromElsewhere(given.request))
      return renderForm(given.visit, pageOf(command, typed));
    return runRead(mount, given, pageOf(command, typed));
  });

  const bodyMax = Math.max(...commands.map(({ bodyBytesMax = limits.bodyBytesMax }) => bodyBytesMax));
  const terms: FormTerms = {
    bodyLimit: bodyMax * encodedLength,
    admit: (visit, request) => {
      if (!find(visit, request).changes) throw commonErrors.methodNotAllowed();
    },
  };
  mount.form('/commands/:name', terms, (given) =>
    submit(mount, given, pageOf(find(given.visit, given.request), given.form)),
  );
}

/** The command's fields in the address. */
const typedIn = ({ query }: FastifyRequest): Typed =>
  new Map(Object.entries(query as Record<string, string>).map(([name, value]) => [name, [value]]));

/** A link on another site may open a form, but runs nothing. */
const isFromElsewhere = ({ headers: { 'sec-fetch-site': site = 'none' } }: FastifyRequest) =>
  site !== 'same-origin' && site !== 'none';

async function runRead(mount: Mount, { visit, call, request, reply }: PageRequest, page: CommandPage) {
  const { command, typed } = page;
  const { input, faults } = readForm(command, typed);
  try {
    if (faults.length > 0) throw refuseFaults(faults);
    if (command.fileTypes) {
      const { headers, stream } = await openFile(
        mount.server,
        request,
        visit.session,
        commandRequest(command.name, input),
      );
      for (const name of ['content-type', 'content-disposition']) reply.header(name, headers[name]);
      return reply.send(stream);
    }
    const { data } = await call(command.name, fitPage(command, input));
    return renderForm(visit, page, renderRead(visit, page, data));
  } catch (error) {
    const refusal = refusalIn(error);
    reply.status(refusal.status);
    return renderForm(visit, { ...page, refusal });
  }
}

/** Fewer rows than in the CLI, so that pages stay small: the others are on the next pages. */
function fitPage({ input: { properties }, parts }: Command<Ctx>, input: Record<string, unknown>) {
  if (!('cursor' in properties) || parts) return input;
  const { limit = rowsUsual } = input;
  const { maximum = 0 } = properties.limit as { maximum?: number };
  // The command refuses other limits, in words.
  const isTooMany = typeof limit === 'number' && limit > rowsMax && limit <= maximum;
  return { ...input, limit: isTooMany ? rowsMax : limit };
}

/** A refusal of the command is shown at its form; anything else is an error of the console. */
function refusalIn(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}

const refuseFaults = (faults: readonly { field: string; message: string }[]) =>
  commonErrors.invalidRequest({
    message: `${faults[0]!.field} ${faults[0]!.message}`,
    details: [...faults],
  });

/** Review, change or run. The token of a confirmation is used up before the command runs, so it runs once. */
async function submit({ deps }: Mount, { visit, call, request, reply }: FormRequest, page: CommandPage) {
  const { command, typed } = page;
  const step = readField(typed as Form, 'step');
  if (step === 'change') return renderForm(visit, page);
  const { input, faults } = readForm(command, typed);
  const confirm = async (refusal?: Refusal) => {
    const preview = await readPreview(visit, page, call, input);
    return renderConfirmation(visit, { ...page, refusal, preview }, await issueOnce(deps, visit.session));
  };
  try {
    if (faults.length > 0) throw refuseFaults(faults);
    requireValid(request, command, input);
    if (step !== 'run') return await confirm();
    await useOnce(deps, visit.session, typed as Form);
    const answer = await call(command.name, input);
    if (answer.waits) reply.status(202);
    return renderResult(visit, command, answer);
  } catch (error) {
    const refusal = refusalIn(error);
    if (refusal.code === 'sent_before') throw refusal;
    reply.status(refusal.status);
    if (refusal.status >= 500) return renderUnknown(visit, command, refusal);
    return refusal.code === 'step_up_required' ? confirm(refusal) : renderForm(visit, { ...page, refusal });
  }
}
