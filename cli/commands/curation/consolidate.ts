import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import {
  Batch,
  type Capture,
  ClaimResponse,
  CompleteResponse,
  DEFAULT_CLAIM_LIMIT,
  DEFAULT_LEASE_SECONDS,
  MAX_BATCH,
} from '../../../shared/schemas/consolidation.ts';
import { findOptionalClient } from '../../client/find-team.ts';
import { type NameLayer, readLayerNames } from '../../client/layers.ts';
import { parseLimit } from '../../client/read-list.ts';
import { withRetry } from '../../client/retry.ts';
import { runCommand } from '../../client/run-command.ts';
import { type ServiceClient, ServiceRefusal } from '../../client/service-client.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { askPerson } from '../../consolidate/ask-person.ts';
import { type Item, parseAnswer } from '../../consolidate/items.ts';
import { promptFor } from '../../consolidate/prompt.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { CommandError, printNote, withNote } from '../../terminal/command-error.ts';
import { chosenEditor } from '../../terminal/editor.ts';
import { undoable } from '../../terminal/interruptible.ts';
import { counted, credentialsNote, type Result } from '../../terminal/output.ts';
import { type Column, table } from '../../terminal/table.ts';

/** What remains of the lease when a program is ended, so that its batch can still be released or completed. */
const MARGIN_SECONDS = 10;
const MIN_LEASE_SECONDS = 30;
const MAX_LEASE_SECONDS = 3600;

const options = {
  with: {
    type: 'string',
    value: 'command',
    help: 'program that decides: it receives a prompt with the captures on standard input and prints JSON',
  },
  client: {
    type: 'string',
    value: 'client',
    completes: 'client',
    help: 'only captures of this client, by name or id',
  },
  limit: {
    type: 'string',
    value: 'n',
    help: `the most captures to claim: 1 to ${MAX_BATCH}, default ${DEFAULT_CLAIM_LIMIT}`,
  },
  lease: {
    type: 'string',
    value: 'seconds',
    help: `how long the captures are claimed: ${MIN_LEASE_SECONDS} to ${MAX_LEASE_SECONDS}; default: ${DEFAULT_LEASE_SECONDS}, and ${MAX_LEASE_SECONDS} for an editor`,
  },
  ...TEAM_OPTIONS,
} as const;

function parseLease(given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  const seconds = Number(given);
  if (Number.isInteger(seconds) && seconds >= MIN_LEASE_SECONDS && seconds <= MAX_LEASE_SECONDS)
    return seconds;
  throw new CommandError(`--lease: expected whole seconds from ${MIN_LEASE_SECONDS} to ${MAX_LEASE_SECONDS}`);
}

/** An open batch of the caller. */
type Claimed = NonNullable<Static<typeof ClaimResponse>['batch']>;

/**
 * Releases a batch: its captures are staged again.
 * @returns what a person has to know if it could not be released; null if its captures are no longer claimed
 */
async function releaseBatch(service: ServiceClient, { id, expiresAt }: Claimed): Promise<string | null> {
  try {
    await service.post('/v1/memory/consolidation/release', Batch, { batchId: id });
    return null;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const code = error instanceof ServiceRefusal ? error.code : null;
    if (code === 'batch_expired') return null;
    // The answer to an earlier attempt was lost.
    if (code === 'conflict') return 'the batch was already completed';
    return `the captures could not be released: they are claimed until ${expiresAt}`;
  }
}

/** Names the layers of captures. */
function layerNames(service: ServiceClient, captures: readonly Capture[]): Promise<NameLayer> {
  const clientIds = captures.map(({ clientId }) => clientId);
  return readLayerNames(service, clientIds);
}

/** Lets a program decide. Returns null if it decided nothing. */
async function askProgram(
  command: string,
  captures: readonly Capture[],
  timeoutMs: number,
  complete: (items: readonly Item[]) => Promise<Result>,
): Promise<Result | null> {
  const answer = await runCommand(command, promptFor(captures), 'the consolidation', timeoutMs);
  const items = parseAnswer(answer, captures, command);
  return items.length === 0 ? null : complete(items);
}

type Results = Static<typeof CompleteResponse>['results'];
interface Decided {
  title: string | undefined;
  result: Results[number];
}

const COLUMNS: readonly Column<Decided>[] = [
  { title: 'State', value: ({ result }) => result.state },
  { title: 'Memory', value: ({ result }) => result.memoryId, role: 'id' },
  { title: 'Similar', value: ({ result }) => result.similar.length },
  { title: 'Title', value: ({ title }) => title ?? null, canShrink: true, role: 'name' },
];

async function completeBatch(
  service: ServiceClient,
  batch: Claimed,
  items: readonly Item[],
): Promise<Result> {
  const onWait = (reason: string | null) => {
    if (reason !== null) printNote(reason);
  };
  const { results, redactions } = await withRetry(service, onWait, true).post(
    '/v1/memory/consolidation/complete',
    CompleteResponse,
    { batchId: batch.id, items },
    { idempotencyKey: randomUUID() },
  );
  const named = new Set(items.flatMap(({ captureIds }) => captureIds));
  const left = batch.captures.length - named.size;
  const rows = results.map((result, index) => ({ title: items[index]?.title, result }));
  const lines = [
    ...table(COLUMNS, rows),
    ...(left === 0 ? [] : [`${counted(left, 'capture')} left for later.`]),
  ];
  return { text: lines.join('\n') + credentialsNote(redactions), data: { batchId: batch.id, results, left } };
}

export const consolidate: Command<typeof options> = {
  section: 'memory',
  summary: 'make memories of staged captures, with a program or in an editor',
  about: `Claims a batch of staged captures, lets a program or a person make memories of them, and completes the batch.
If that fails, or Ctrl-C is pressed, the batch is released: its captures are staged again.

With --with, the program receives a prompt and the captures on standard input, and prints
{ "items": [{ "captureIds", "action": "publish", "review" or "discard", "title", "content", "tags" }] } on standard
output. It can be the command line of a model. An answer of another form is an error. Without --with, the captures are
opened in VISUAL or EDITOR.`,
  options,
  notes: `With Full access, captures of everyone are claimed; otherwise only your own.

${CREDENTIAL_NOTE}`,
  async run(values) {
    const limit = parseLimit(values.limit, DEFAULT_CLAIM_LIMIT, MAX_BATCH);
    const { with: command } = values;
    // A person needs more time than a program.
    const leaseSeconds = parseLease(
      values.lease,
      command === undefined ? MAX_LEASE_SECONDS : DEFAULT_LEASE_SECONDS,
    );
    if (command === undefined) chosenEditor();
    const timeoutMs = (leaseSeconds - MARGIN_SECONDS) * 1000;
    const { service } = await signedInToTeam(values);
    const clientId = await findOptionalClient(service, values.client);
    return undoable(async (throwIfInterrupted) => {
      const { batch } = await service.post('/v1/memory/consolidation/claim', ClaimResponse, {
        limit,
        leaseSeconds,
        clientId,
      });
      if (batch === null)
        return { text: 'No captures are waiting.', data: { batchId: null, results: [], left: 0 } };
      const { captures } = batch;
      try {
        await throwIfInterrupted();
        const complete = async (items: readonly Item[]) => {
          await throwIfInterrupted();
          return completeBatch(service, batch, items);
        };
        const result =
          command === undefined
            ? await askPerson(captures, await layerNames(service, captures), complete)
            : await askProgram(command, captures, timeoutMs, complete);
        if (result !== null) return result;
      } catch (error) {
        const note = await releaseBatch(service, batch);
        throw note === null ? error : withNote(error, note);
      }
      const note = await releaseBatch(service, batch);
      if (note !== null) throw new CommandError(note);
      const data = { batchId: batch.id, results: [], left: captures.length };
      return { text: `Nothing was decided: ${counted(captures.length, 'capture')} left for later.`, data };
    });
  },
};
