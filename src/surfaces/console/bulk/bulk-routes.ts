import type { Ctx, Deps } from '#context';
import { refuseRole } from '#operator-roles';
import type { Command } from '#platform/commands/command';
import type { Item } from '#platform/commands/values';
import { commonErrors, Refusal } from '#platform/errors/errors';
import type { FastifyRequest } from '#platform/http/http';
import { readField } from '#platform/pages/form';
import { issueOnce, useOnce } from '#surfaces/frame';
import type { CallCommand } from '../call-command.ts';
import { readForm, type Typed } from '../command/read-form.ts';
import { requireValid } from '../command/require-valid.ts';
import { consoleErrors } from '../errors.ts';
import type { FormRequest, Mount } from '../mount.ts';
import type { Visit } from '../visit.ts';
import { type BulkCommand, bulkCommands } from './bulk-commands.ts';
import {
  type BulkPage,
  type Chosen,
  type Outcome,
  renderBulkConfirmation,
  renderBulkResult,
} from './bulk-pages.ts';

/** `/console/bulk/<command>`: one confirmation for several records, then the command for each of them. */
export function bulkRoutes({ options, form, deps }: Mount): void {
  const { commands, fourEyes } = options;
  const byName = new Map(commands.map((command) => [command.name, command]));
  const find = (visit: Visit, request: FastifyRequest): Command<Ctx> => {
    const { name } = request.params as { name: string };
    if (!Object.hasOwn(bulkCommands, name)) throw commonErrors.notFound();
    const command = byName.get(name)!;
    if (!visit.may(command)) throw refuseRole(visit.role, name);
    return command;
  };
  form('/bulk/:name', { admit: find }, async (given) => {
    const command = find(given.visit, given.request);
    const bulk = bulkCommands[command.name]!;
    const page = { command, bulk, byName, typed: given.form, waits: fourEyes.has(command.name) };
    return submit(deps, given, page);
  });
}

async function submit(deps: Deps, given: FormRequest, page: BulkPage): Promise<string> {
  const { visit, call, request, reply, form } = given;
  const { command, bulk } = page;
  const ids = idsIn(form, bulk);
  const isRun = readField(form, 'step') === 'run';
  const confirm = async (refusal?: Refusal) =>
    renderBulkConfirmation(
      visit,
      { ...page, refusal },
      {
        chosen: await readEach(call, bulk, ids),
        once: await issueOnce(deps, visit.session),
      },
    );
  if (!isRun) return confirm();
  const { input } = readForm(command, new Map([...form, [bulk.each, [ids[0]!]]]));
  try {
    requireValid(request, command, input);
    if (command.stepUp && !visit.session.isFresh) throw consoleErrors.stepUpRequired();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    reply.status(error.status);
    return confirm(error);
  }
  await useOnce(deps, visit.session, form);
  const outcomes: Outcome[] = [];
  for (const id of ids) outcomes.push(await runOne(call, command.name, { ...input, [bulk.each]: id }, id));
  return renderBulkResult(visit, page, outcomes);
}

function idsIn(form: Typed, { each, most }: BulkCommand): string[] {
  const ids = [...new Set(form.get(each))].filter((id) => id !== '');
  if (ids.length === 0) throw consoleErrors.nothingChosen();
  if (ids.length > most) throw consoleErrors.tooManyChosen({ message: `At most ${most} at once` });
  return ids;
}

/** One by one: a person's request must not take all places of operator commands. */
async function readEach(call: CallCommand, { read }: BulkCommand, ids: readonly string[]): Promise<Chosen[]> {
  const chosen: Chosen[] = [];
  for (const id of ids) chosen.push(read ? await readOne(call, read, id) : { id });
  return chosen;
}

async function readOne(
  call: CallCommand,
  { command, field, shown }: NonNullable<BulkCommand['read']>,
  id: string,
): Promise<Chosen> {
  try {
    const { data } = await call(command, { [field]: id });
    return { id, facts: Object.fromEntries(shown.map((name) => [name, data[name]])) as Item };
  } catch (error) {
    if (!(error instanceof Refusal) || error.status >= 500) throw error;
    return { id, fault: error.message };
  }
}

/** A failure of one does not stop the others. */
async function runOne(call: CallCommand, name: string, input: object, id: string): Promise<Outcome> {
  try {
    const { waits } = await call(name, input);
    return { id, state: waits ? 'stored' : 'done' };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { id, state: error.status >= 500 ? 'unknown' : 'refused', message: error.message };
  }
}
