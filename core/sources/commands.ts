import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import {
  changesTerms,
  type GivenFields,
  moveSource as move,
  type SourceField,
  type SourceNames,
  updateSourceFields,
} from '../../db/queries/sources/changes.ts';
import { findSource } from '../../db/queries/sources/lists.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/names.ts';
import { assertFuture, parseExpiry, parseOptionalMoment, parseTime } from '../../shared/formats/times.ts';
import { parseId } from '../../shared/ids.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Source, SourceChange } from '../../shared/schemas/sources.ts';
import { type LayerId, layerOf, type TeamScope, writeLayer } from '../../shared/scope.ts';
import { type Recorded, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactFields, redactionMode } from '../redaction/redact.ts';
import { makeWay } from './expiry.ts';
import { enqueueIndexing } from './indexing.ts';
import { lockSourceForChange, lockSourceForMove } from './lock.ts';
import { replaceText } from './replace-text.ts';

/**
 * The fields of the event of a move between clients, or the Team layer: null. Its layer is the new one if the record comes from the Team layer. Otherwise it has no
 * layer, so that an agent token that is limited to clients does not list it: it has the id of the old client.
 */
export function moveFields(from: string | null, to: string | null): Pick<AuditEntry, 'clientId' | 'detail'> {
  return { ...(from === null ? { clientId: to } : {}), detail: { from, to } };
}

/**
 * Moves a locked, active source to another layer.
 * @param names in that layer. Lock them before
 * @returns the source as it is now, with the events for the command to record
 * @throws ServiceError `conflict` if the layer has an active source with the same text or external id
 */
async function moveSource(
  tx: TeamTransaction,
  { id, clientId }: Source,
  names: SourceNames,
): Promise<Recorded<Source>> {
  const expired = await makeWay(tx, names);
  await move(tx, id, names.layerId);
  const moved = await findSource(tx, id);
  if (moved === null) throw new Error('the moved source does not exist');
  const event = moveFields(clientId, moved.source.clientId);
  return {
    result: moved.source,
    audit: [...expired, { kind: 'memory.move', subjectType: 'source', subjectId: id, ...event }],
  };
}

/**
 * Parses the change of a source.
 * @throws ServiceError `invalid_request`
 */
function parseSourceChange({
  title,
  tags,
  occurredAt,
  expiresAt,
  clientId,
  text,
}: SourceChange): GivenFields {
  if ([title, tags, occurredAt, expiresAt, clientId, text].every((field) => field === undefined)) {
    throw invalidField('/', 'must have title, tags, occurredAt, expiresAt, clientId or text');
  }
  const occurred = parseOptionalMoment(occurredAt, '/occurredAt');
  const expiry = parseExpiry(expiresAt, '/expiresAt');
  assertFuture(expiry);
  return {
    title: title ?? null,
    tags: tags === undefined ? null : parseTags(tags),
    ...(occurred === undefined ? {} : { occurredAt: occurred }),
    ...(expiry === undefined ? {} : { expiresAt: expiry }),
  };
}

/**
 * Parses when the source was last changed that the sender of a text has seen.
 * @throws ServiceError `invalid_request`
 */
function parseBase({ baseUpdatedAt, clientId }: SourceChange): Date {
  if (clientId !== undefined) throw invalidField('/clientId', 'cannot be combined with text');
  const base = parseTime(baseUpdatedAt, '/baseUpdatedAt');
  if (base === null) throw invalidField('/baseUpdatedAt', 'is required with text: updatedAt of the source');
  return base;
}

/** A source that is to be changed, locked. */
interface Locked {
  source: Source;
  /** Its names in the layer that it is to be in, if the change names one. */
  target?: SourceNames;
}

/**
 * Changes the title, the tags, the date, the expiry and the layer of a source, or its text: see `replaceText`. Fields that are not given do not change.
 * @returns the source as it is now
 * @throws ServiceError `unauthenticated`, `team_forbidden`; `scope_forbidden` if the caller cannot write to the new layer;
 *   `not_found`; `forbidden` unless the caller can write to the layer of the source and has created it or has Full access;
 *   `team_archived`; `conflict` if the source belongs to a memory, or is archived, for the title, the date, the expiry or the
 *   layer of a file, or if the new layer has an active source with the same text or external id; `secret_detected`
 */
export async function changeSource(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  sourceId: string,
  change: SourceChange,
  signal: AbortSignal,
): Promise<Source & { redactions: Redaction[] }> {
  const { config, database, queue } = deps;
  // First, so that an invalid body is refused before an unknown id.
  const parsed = parseSourceChange(change);
  const { clientId, text, baseUpdatedAt, ...rest } = change;
  if (text !== undefined) {
    const base = { baseUpdatedAt: parseBase(change) };
    delete change.text;
    return replaceText(deps, scope, parseId(sourceId), { ...parsed, text, ...base }, signal);
  }
  if (baseUpdatedAt !== undefined) throw invalidField('/baseUpdatedAt', 'is only possible with text');
  const layerId =
    clientId === undefined ? undefined : writeLayer(scope, clientId === null ? {} : { clientId });
  // After the scope, which is refused first.
  const id = parseId(sourceId);
  const { fields, redactions, assertAllowed } = await redactFields(redactionMode(config, scope), rest);
  const given = {
    ...parsed,
    title: fields.title ?? null,
    tags: fields.tags === undefined ? null : parseTags(fields.tags),
  };
  const source = await runCommand(database, scope, {
    lock: async (tx): Promise<Locked> => {
      if (layerId === undefined) return lockSourceForChange(tx, id, 'change');
      const { source, names } = await lockSourceForMove(tx, id, layerId);
      return { source, target: names };
    },
    apply: async (tx, locked) => {
      const { updated, moved, ...applied } = await changeLocked(tx, locked, given, assertAllowed);
      const outdatedId = changesTerms(updated) ? id : null;
      if (moved.length === 0 && outdatedId === null) return applied;
      return { ...applied, enqueue: () => enqueueIndexing(tx, queue, config, moved, outdatedId) };
    },
  });
  return { ...source, redactions };
}

/**
 * Changes the fields and the layer of a locked source, as a part of a command. Call `enqueueIndexing` after it.
 * @param assertAllowed refuses the given fields. Called when the source allows the change, before anything is stored
 * @throws ServiceError `conflict`: see `changeSource`; those of `assertAllowed`
 */
export async function changeLocked(
  tx: TeamTransaction,
  { source: before, target }: Locked,
  given: GivenFields,
  assertAllowed: () => void,
): Promise<Recorded<Source> & { updated: SourceField[]; moved: LayerId[] }> {
  assertChangeable(before, given, target !== undefined);
  assertAllowed();
  let source = before;
  const audit: AuditEntry[] = [];
  const moved: LayerId[] = [];
  if (target !== undefined && target.layerId !== layerOf(tx.scope, before.clientId)) {
    const { result, audit: events } = await moveSource(tx, before, target);
    source = result;
    audit.push(...events);
    moved.push(target.layerId);
  }
  const changed = await updateSourceFields(tx, source.id, given);
  if (changed === null) return { result: source, audit, updated: [], moved };
  const { updated } = changed;
  const subject = { subjectType: 'source', subjectId: source.id, clientId: source.clientId } as const;
  audit.push({ kind: 'memory.update', ...subject, detail: { updated } });
  return { result: changed.source, audit, updated, moved };
}

function assertChangeable({ kind, state }: Source, given: GivenFields, moves: boolean): void {
  if (kind === 'memory') {
    const verb = moves ? 'move' : 'update';
    throw new ServiceError('conflict', `The source belongs to a memory; ${verb} the memory instead`);
  }
  if (kind === 'file' && moves) {
    throw new ServiceError(
      'conflict',
      'The source belongs to a workspace file; push it under another path instead',
    );
  }
  if (kind === 'file' && given.title !== null && given.title !== undefined) {
    throw new ServiceError('conflict', 'The title is the name of the file; push the file under another name');
  }
  if (kind === 'file' && given.occurredAt !== undefined) {
    throw new ServiceError('conflict', 'The date is that of the file; push the file with another date in it');
  }
  if (kind === 'file' && given.expiresAt !== undefined) {
    throw new ServiceError('conflict', 'A workspace file does not expire; delete the file instead');
  }
  if (state === 'archived') throw new ServiceError('conflict', 'An archived source cannot be changed');
}
