import type { TeamTransaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { changesTerms, type SourceNames } from '../../db/queries/sources/changes.ts';
import { findSource } from '../../db/queries/sources/lists.ts';
import { lockNamesOf } from '../../db/queries/sources/removal.ts';
import type { StoredSource } from '../../db/queries/sources/sources.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { MAX_TAGS, parseTags } from '../../shared/formats/names.ts';
import { assertFuture, parseExpiry, parseTime } from '../../shared/formats/times.ts';
import { newId, parseId } from '../../shared/ids.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Source, SourceBatch, SourceBatchChange } from '../../shared/schemas/sources.ts';
import { type LayerId, type TeamScope, writeLayer } from '../../shared/scope.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import { type Outcome, runEach } from '../access/run-each.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactFields, redactionMode } from '../redaction/redact.ts';
import { changeLocked } from './commands.ts';
import { enqueueIndexing } from './indexing.ts';
import { lockSourceForChange, lockSourceForMove } from './lock.ts';
import { archiveLocked, restoreLocked } from './removal.ts';

type Needed = Pick<Dependencies, 'config' | 'database' | 'queue'>;

/** A change of many sources, parsed once for all of them. */
export interface ParsedBatch {
  ids: readonly string[];
  /** Normalized. Null: the tags do not change. */
  tags: { add: readonly string[]; remove: readonly string[] } | null;
  /** The layer to move the sources to, if one is given. */
  layerId: LayerId | undefined;
  expiresAt: Date | null | undefined;
  state: SourceBatchChange['state'];
  /** When the sources changed last, in milliseconds, by their ids. */
  ifUpdatedAt: ReadonlyMap<string, number>;
  redactions: readonly Redaction[];
  /** @throws ServiceError `secret_detected` */
  assertAllowed: () => void;
}

/**
 * Parses a change of many sources, and searches the tags that it adds for credentials.
 * @throws ServiceError `invalid_request`, `scope_forbidden`
 */
export async function parseBatch(
  { config }: Pick<Dependencies, 'config'>,
  scope: TeamScope,
  { ids, change, ifUpdatedAt = {} }: SourceBatch,
): Promise<ParsedBatch> {
  const { clientId, state } = change;
  const add = parseTags(change.tags?.add ?? [], '/change/tags/add');
  const remove = parseTags(change.tags?.remove ?? [], '/change/tags/remove');
  const changesTags = add.length + remove.length > 0;
  if (!changesTags && [clientId, state, change.expiresAt].every((field) => field === undefined)) {
    throw invalidField('/change', 'must have tags to add or to remove, clientId, expiresAt or state');
  }
  if (add.some((tag) => remove.includes(tag))) {
    throw invalidField('/change/tags/remove', 'must have no tag that is also in add');
  }
  const expiresAt = parseExpiry(change.expiresAt, '/change/expiresAt');
  assertFuture(expiresAt, '/change/expiresAt');
  const firsts = new Map<string, number>();
  for (const [index, id] of ids.entries()) {
    const first = firsts.get(id.toLowerCase());
    if (first !== undefined) throw invalidField(`/ids/${index}`, `is the same as /ids/${first}`);
    firsts.set(id.toLowerCase(), index);
  }
  const expected = Object.entries(ifUpdatedAt).map(([id, time]): [string, number] => {
    // The path of the whole object: an id of a caller can be of any length, and need not be an id.
    return [id.toLowerCase(), parseTime(time, '/ifUpdatedAt')?.getTime() ?? Number.NaN];
  });
  const layerId =
    clientId === undefined ? undefined : writeLayer(scope, clientId === null ? {} : { clientId });
  // Only what is stored: a credential can be removed.
  const checked = await redactFields(redactionMode(config, scope), { add }, '/change/tags');
  return {
    ids,
    tags: changesTags ? { add: parseTags(checked.fields.add, '/change/tags/add'), remove } : null,
    layerId,
    expiresAt,
    state,
    ifUpdatedAt: new Map(expected),
    redactions: checked.redactions,
    assertAllowed: checked.assertAllowed,
  };
}

/** What a change did to a source. */
export interface ChangedInBatch {
  id: string;
  changed: boolean;
  /** What takes the change back. Null: nothing changed, or it cannot be taken back. */
  back: SourceBatchChange | null;
  updatedAt: string;
}

/**
 * Changes sources one after the other, each by its own rights and rules, in its own transaction. All their events have the
 * same `batchId`.
 * @param signal of the request: no further source is changed after it is closed
 * @returns each outcome in the order of the ids. Errors are those of `changeSource`, `archiveSource` and `restoreSource`, and
 *   `version_conflict`
 */
export function changeEach(
  deps: Needed,
  scope: TeamScope,
  batch: ParsedBatch,
  signal: AbortSignal,
): AsyncGenerator<Outcome<ChangedInBatch>> {
  const batchId = newId();
  return runEach(batch.ids, signal, async (given) => {
    const id = parseId(given);
    return runCommand(deps.database, scope, {
      lock: (tx) => lock(tx, id, batch),
      ...(batch.state === 'active' ? { quota: deps.config } : {}),
      apply: async (tx, locked) => {
        const applied = await apply(tx, deps, locked, batch);
        const audit = applied.audit.map(
          (entry): AuditEntry => ({ ...entry, detail: { ...entry.detail, batchId } }),
        );
        return { ...applied, audit };
      },
    });
  });
}

type Locked = StoredSource & { names?: SourceNames };

function lock(tx: TeamTransaction, id: string, { layerId, state }: ParsedBatch): Promise<Locked> {
  const restores = state === 'active';
  if (layerId !== undefined) return lockSourceForMove(tx, id, layerId, restores);
  const verb = state === 'archived' ? 'archive' : restores ? 'restore' : 'change';
  return lockSourceForChange(tx, id, verb, restores ? () => lockNamesOf(tx, id) : undefined);
}

/** Restores, changes, moves and archives a locked source, as far as the change says so and the source differs from it. */
async function apply(
  tx: TeamTransaction,
  { config, queue }: Needed,
  { names, ...stored }: Locked,
  { tags, layerId, expiresAt, state, ifUpdatedAt, assertAllowed }: ParsedBatch,
): Promise<Applied<ChangedInBatch>> {
  const before = stored.source;
  const expected = ifUpdatedAt.get(before.id);
  if (expected !== undefined && expected !== Date.parse(before.updatedAt)) {
    throw new ServiceError('version_conflict', `The source was changed at ${before.updatedAt}`);
  }
  // The states of the others are those of their memory or file: they are refused.
  const decidesState = before.kind === 'ingest' || before.kind === 'import';
  const differs = (wanted: Source['state'], source: Source) => !decidesState || source.state !== wanted;
  let source = before;
  let isRestorable = true;
  const audit: AuditEntry[] = [];
  const layers = new Set<LayerId>();
  const outdated = new Set<string>();
  if (state === 'active' && differs('active', before)) {
    const restored = await restoreLocked(tx, config, stored);
    source = restored.result;
    audit.push(...restored.audit);
    for (const layer of restored.layers) layers.add(layer);
    if (restored.outdatedId !== null) outdated.add(restored.outdatedId);
  }
  if (tags !== null || layerId !== undefined || expiresAt !== undefined) {
    const given = {
      tags: tags === null ? null : changedTags(source.tags, tags),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    const locked = { source, ...(names === undefined ? {} : { target: names }) };
    const changed = await changeLocked(tx, locked, given, () => {
      assertFewTags(given.tags);
      assertAllowed();
    });
    source = changed.result;
    audit.push(...changed.audit);
    for (const layer of changed.moved) layers.add(layer);
    if (changesTerms(changed.updated)) outdated.add(source.id);
  }
  if (state === 'archived' && differs('archived', source)) {
    const archived = await archiveLocked(tx, config, source);
    isRestorable = archived.result !== null;
    audit.push(...archived.audit);
    source = (await findSource(tx, source.id))?.source ?? source;
  }
  const changed = audit.length > 0;
  const { id, updatedAt } = source;
  const result = { id, changed, back: changed && isRestorable ? wayBack(before, source) : null, updatedAt };
  // Another expiry by itself leaves every term as it is.
  if (outdated.size === 0 && audit.every(({ kind }) => kind === 'memory.update')) return { result, audit };
  const [outdatedId = null] = source.state === 'active' ? outdated : [];
  return { result, audit, enqueue: () => enqueueIndexing(tx, queue, config, [...layers], outdatedId) };
}

type TagChange = NonNullable<ParsedBatch['tags']>;

const changedTags = (present: readonly string[], { add, remove }: TagChange): string[] =>
  [...new Set([...present, ...add])].filter((tag) => !remove.includes(tag));

function assertFewTags(tags: readonly string[] | null): void {
  if (tags === null || tags.length <= MAX_TAGS) return;
  throw invalidField(
    '/change/tags/add',
    `would give the source ${tags.length} tags; at most ${MAX_TAGS} are allowed`,
  );
}

/** The change that makes a source what it was before. */
function wayBack(before: Source, after: Source): SourceBatchChange {
  const add = before.tags.filter((tag) => !after.tags.includes(tag));
  const remove = after.tags.filter((tag) => !before.tags.includes(tag));
  const tags = { ...(add.length > 0 ? { add } : {}), ...(remove.length > 0 ? { remove } : {}) };
  return {
    ...(add.length + remove.length > 0 ? { tags } : {}),
    ...(before.clientId !== after.clientId ? { clientId: before.clientId } : {}),
    ...(before.expiresAt !== after.expiresAt ? { expiresAt: before.expiresAt } : {}),
    ...(before.state !== after.state ? { state: before.state } : {}),
  };
}

/** Returns bodies that take changes back, if they are sent in this order. Sources with an equal way back have one body. */
export function undoOf(outcomes: readonly Outcome<ChangedInBatch>[]): SourceBatch[] {
  const bodies = new Map<string, Required<SourceBatch>>();
  for (const outcome of outcomes) {
    if ('error' in outcome || outcome.back === null) continue;
    const { id, back, updatedAt } = outcome;
    const key = JSON.stringify(back);
    const body = bodies.get(key) ?? { ids: [], change: back, ifUpdatedAt: {} };
    body.ids.push(id);
    body.ifUpdatedAt[id] = updatedAt;
    bodies.set(key, body);
  }
  return [...bodies.values()];
}
