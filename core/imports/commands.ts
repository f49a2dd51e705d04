import { createHash } from 'node:crypto';
import { type Database, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import type { AuditEntry } from '../../db/queries/audit.ts';
import { findOwnClientGrants } from '../../db/queries/clients.ts';
import {
  cancelImport,
  deleteImport,
  type FailedImports,
  findImports,
  findPart,
  insertImport,
  lockImports,
  type NewImport,
  requeueFailedImports,
} from '../../db/queries/imports.ts';
import type { JobQueue } from '../../db/queue/queue.ts';
import { hasRight, type Layers, readableLayers, writableLayers } from '../../shared/access.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { decodeBase64 } from '../../shared/formats/base64.ts';
import { IMPORT_FORMAT_NAMES, importMediaType } from '../../shared/formats/media-types.ts';
import { parseTags } from '../../shared/formats/names.ts';
import { assertFuture, parseExpiry, parseOptionalMoment } from '../../shared/formats/times.ts';
import { isId, newId } from '../../shared/ids.ts';
import { freeUnshared } from '../../shared/resources/process.ts';
import type { AuditKindOf } from '../../shared/schemas/audit.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { type Import, type ImportRequest, MAX_KEPT_REDACTIONS } from '../../shared/schemas/imports.ts';
import type { Original } from '../../shared/schemas/sources.ts';
import { type LayerId, layerOf, requireChangeOf, type TeamScope } from '../../shared/scope.ts';
import { shownText } from '../../shared/secrets/find-secrets.ts';
import { masksCredentials, type RedactionMode } from '../../shared/settings/team-settings.ts';
import {
  assertActive,
  type LockedTeam,
  lockTeamForWrite,
  requireLayerWrite,
  writableLayersNow,
} from '../access/lock-and-recheck.ts';
import { type Applied, type OnceCommand, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { type CheckedFields, redactFields } from '../redaction/redact.ts';

/**
 * Enqueues a job for each of these imports, in the transaction that makes them queued. Companies take turns, and so do
 * the Teams of each. The job runs for the import's author: what it creates is theirs, even if someone else retried it.
 */
async function enqueueImports(
  tx: TeamTransaction,
  queue: JobQueue,
  imports: readonly Pick<Import, 'id' | 'clientId' | 'createdBy' | 'createdWith'>[],
): Promise<void> {
  const { companyId, teamId } = tx.scope;
  await queue.enqueueInTurn(
    tx,
    'import.process',
    { companyId, teamId },
    imports.map(({ id, clientId, createdBy, createdWith }) => ({
      companyId,
      teamId,
      userId: createdBy,
      tokenId: createdWith?.tokenId ?? null,
      layerId: layerOf(tx.scope, clientId),
      importId: id,
    })),
  );
}

type Item = ImportRequest['items'][number];

/**
 * Refuses a request with a file of a type that cannot be imported. Runs before the body is validated.
 * @throws ServiceError `unsupported_media_type`
 */
export function assertMediaTypes(body: unknown): void {
  const items = (body as { items?: unknown } | null | undefined)?.items;
  if (!Array.isArray(items)) return;
  for (const [index, item] of items.entries()) {
    const { filename, mediaType, text } = (item ?? {}) as Record<string, unknown>;
    if (typeof filename !== 'string') continue;
    const declared = typeof mediaType === 'string' ? mediaType : undefined;
    if (importMediaType(filename, declared, typeof text === 'string') === null) {
      throw new ServiceError(
        'unsupported_media_type',
        `/items/${index}: a file of this type cannot be imported; the formats are ${IMPORT_FORMAT_NAMES}`,
      );
    }
  }
}

async function parseContent(item: Item, index: number): Promise<Buffer> {
  if ((item.text === undefined) === (item.contentBase64 === undefined)) {
    throw invalidField(`/items/${index}`, 'needs either text or contentBase64');
  }
  if (item.text !== undefined) return Buffer.from(item.text, 'utf8');
  const content = await decodeBase64(item.contentBase64 ?? '');
  if (content === null) throw invalidField(`/items/${index}/contentBase64`, 'is not base64');
  return content;
}

type NamedFields = Pick<Item, 'filename' | 'title' | 'tags'>;

/** Files of a request, with what was found in their names and titles. Their texts are checked when they are read. */
type CheckedFiles = CheckedFields<Omit<NewImport, 'layerId'>[]>;

/**
 * @param index the position in the request, for messages
 * @param names what is stored of the filename, the title and the tags
 */
async function parseFile(item: Item, index: number, names: NamedFields): Promise<Omit<NewImport, 'layerId'>> {
  const mediaType = importMediaType(item.filename, item.mediaType, item.text !== undefined);
  if (mediaType === null) throw new ServiceError('unsupported_media_type');
  return {
    id: newId(),
    filename: names.filename,
    title: names.title ?? names.filename,
    mediaType,
    content: await parseContent(item, index),
    tags: parseTags(names.tags ?? []),
    occurredAt: parseOptionalMoment(item.occurredAt, `/items/${index}/occurredAt`) ?? null,
    expiresAt: parseExpiry(item.expiresAt, `/items/${index}/expiresAt`) ?? null,
  };
}

/** The redactions of one file, with the paths of its record: `/filename`. */
function ofItem(redactions: readonly Redaction[], index: number): Redaction[] {
  const root = `/items/${index}`;
  return redactions
    .filter(({ path }) => path.startsWith(`${root}/`))
    .slice(0, MAX_KEPT_REDACTIONS)
    .map((redaction) => ({ ...redaction, path: redaction.path.slice(root.length) }));
}

/**
 * Parses the files of a request, and checks their names, titles and tags for credentials. Decodes them in steps, so that
 * the event loop is not blocked.
 * @throws ServiceError `invalid_request`, `unsupported_media_type`
 */
export async function parseFiles(mode: RedactionMode, items: readonly Item[]): Promise<CheckedFiles> {
  // By what was given: a mask can be longer than its credential.
  for (const [index, { tags = [] }] of items.entries()) parseTags(tags, `/items/${index}/tags`);
  const named = items.map(
    ({ filename, title, tags }): NamedFields => ({
      filename,
      ...(title !== undefined && { title }),
      ...(tags !== undefined && { tags }),
    }),
  );
  const { fields, ...checked } = await redactFields(mode, { items: named });
  const files: Omit<NewImport, 'layerId'>[] = [];
  for (const [index, item] of items.entries()) {
    const file = await parseFile(item, index, fields.items[index] ?? item);
    files.push({ ...file, redactions: ofItem(checked.redactions, index) });
  }
  return { ...checked, fields: files };
}

/**
 * Refuses files whose source would be expired at once.
 * @throws ServiceError `invalid_request`
 */
export function assertFutureFiles(files: readonly Pick<NewImport, 'expiresAt'>[]): void {
  for (const [index, { expiresAt }] of files.entries()) assertFuture(expiresAt, `/items/${index}/expiresAt`);
}

/**
 * Accepts files for import. Each import is inserted in one transaction with its job, so that every accepted file is run.
 * @throws ServiceError `invalid_request` for an expiry in the past, `unauthenticated`, `team_forbidden`, `scope_forbidden`,
 *   `team_archived`, `secret_detected`
 */
export function importFiles(
  { queue }: Pick<Dependencies, 'queue'>,
  { fields: files, redactions, assertAllowed }: CheckedFiles,
  layerId: LayerId,
): OnceCommand<void, { imports: Import[]; redactions: Redaction[] }> {
  return {
    lock: async (tx) => {
      assertFutureFiles(files);
      await requireLayerWrite(tx, layerId);
    },
    apply: async (tx) => {
      assertAllowed();
      const imports: Import[] = [];
      for (const file of files) imports.push(await insertImport(tx, { ...file, layerId }));
      return {
        result: { imports, redactions },
        audit: imports.map(({ id, bytes, mediaType, clientId }) => ({
          kind: 'memory.import',
          subjectType: 'import',
          subjectId: id,
          clientId,
          detail: { bytes, mediaType },
        })),
        enqueue: () => enqueueImports(tx, queue, imports),
      };
    },
    answer: (body) => ({ status: 202, body }),
  };
}

/** What decides whether the file of an import becomes an original. */
interface ReadFile {
  mediaType: string;
  redaction: RedactionMode;
  /** All that was found in the import. */
  redactions: readonly Redaction[];
  /** Whether the mode masks credentials and the file has one, though its text has none. */
  hasRawCredentials: boolean;
}

/**
 * Stores the file of an import in the store of contents. It must become an original within an hour: until then nothing
 * refers to it.
 * @returns null if there is no original: the service stores none, the file has credentials that must not be stored, or it
 *   was deleted
 */
export async function storeOriginal(
  { blobs, config, database }: Pick<Dependencies, 'blobs' | 'config' | 'database'>,
  scope: TeamScope,
  importId: string,
  { mediaType, redaction, redactions, hasRawCredentials }: ReadFile,
): Promise<Original | null> {
  if (!config.keepOriginals || hasRawCredentials) return null;
  if (masksCredentials(redaction) && redactions.length > 0) return null;
  const content = await readFile(database, scope, importId);
  if (content === null) return null;
  const sha256 = createHash('sha256').update(content).digest('hex');
  const bytes = content.byteLength;
  await blobs.store(scope, [{ sha256, content }]);
  freeUnshared(content);
  return { mediaType, bytes, sha256 };
}

/** Reads the file of an import again: its memory is free while the chunks are written, which can take long. */
async function readFile(database: Database, scope: TeamScope, importId: string): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (;;) {
    // Each part in a transaction of its own, so that others wait less with the embedded database.
    const part = await transaction(database, scope, (tx) => findPart(tx, importId, parts.length));
    if (part === null) break;
    parts.push(part);
  }
  if (parts.length <= 1) return parts[0] ?? null;
  const whole = Buffer.concat(parts);
  for (const part of parts) freeUnshared(part);
  return whole;
}

/** Returns the audit events of a decision on imports: one for each. */
function importEvents(kind: AuditKindOf<'import'>, imports: readonly Import[]): AuditEntry[] {
  return imports.map(({ id, clientId, attempts }) => ({
    kind,
    subjectType: 'import',
    subjectId: id,
    clientId,
    detail: { attempts },
  }));
}

/** Returns the layers that the caller can read and write now, among those of these imports, in any state of the Team. */
async function layersNow(
  tx: TeamTransaction,
  { standing }: LockedTeam,
  imports: readonly Import[],
): Promise<{ reads: Layers; writes: Layers }> {
  const layers = [...new Set(imports.map(({ clientId }) => layerOf(tx.scope, clientId)))];
  const team = { id: tx.scope.teamId, ...standing };
  const grants = await findOwnClientGrants(tx, team.id, layers);
  return {
    reads: readableLayers(standing.companyRole, team, grants),
    writes: writableLayers(standing.companyRole, team, grants),
  };
}

/**
 * Locks imports for a decision on them, and returns their current state. Two hundred imports take as many statements as
 * one.
 * @param ids from a path or body, in any case, valid or not
 * @param verb a removal deletes a file, so an agent token must permit it
 * @returns each import once, in the order of the ids
 * @throws ServiceError `unauthenticated`, `team_forbidden`; `forbidden` unless the caller can write to the layer of each
 *   import and has created it or has Full access, and for an agent token that does not permit a removal; `not_found` if one
 *   does not exist; `team_archived`
 */
async function lockImportsForDecision(
  tx: TeamTransaction,
  ids: readonly string[],
  verb: 'retry' | 'remove',
): Promise<Import[]> {
  const requestedIds = [...new Set(ids.map((id) => id.toLowerCase()))];
  const team = await lockTeamForWrite(tx);
  const locked = await lockImports(tx, tx.scope.writes, requestedIds.filter(isId));
  const byId = new Map(locked.map((item) => [item.id, item]));
  // Those in layers that the caller cannot write are not locked, but can be read.
  const others = requestedIds.filter((id) => isId(id) && !byId.has(id));
  const found = [...locked, ...(others.length === 0 ? [] : await findImports(tx, others))];
  const { reads, writes } = await layersNow(tx, team, found);
  // The client of the others has been archived since the request arrived, or the caller has lost access to it.
  const isIn = (layers: Layers, { clientId }: Import) => layers.includes(layerOf(tx.scope, clientId));
  const readable = found.filter((item) => isIn(reads, item));
  const canDecide = (item: Import) =>
    (hasRight(team, 'actForOthers') || item.createdBy === team.userId) &&
    isIn(writes, item) &&
    isIn(tx.scope.writes, item);
  if (!readable.every(canDecide)) {
    throw new ServiceError(
      'forbidden',
      `Only its author, or a caller with Full access, can ${verb} an import`,
    );
  }
  if (verb === 'remove') {
    for (const { createdBy: author } of readable)
      requireChangeOf(tx.scope, { author, verb: 'remove an import' });
  }
  if (readable.length < requestedIds.length) throw new ServiceError('not_found');
  assertActive(team);
  return requestedIds.map((id) => {
    const item = byId.get(id);
    // It was in another layer a moment ago.
    if (item === undefined) throw new ServiceError('not_found');
    return item;
  });
}

/**
 * Cancels a queued import, or deletes one that has failed or was cancelled.
 * @throws ServiceError `conflict` in any other state; as `lockImportsForDecision`
 */
export function removeImport(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  id: string,
): Promise<void> {
  return runCommand(database, scope, {
    lock: (tx) => lockImportsForDecision(tx, [id], 'remove'),
    apply,
  });
}

async function apply(tx: TeamTransaction, [item]: readonly Import[]): Promise<Applied<void>> {
  if (item === undefined) throw new ServiceError('not_found');
  if (item.state === 'running' || item.state === 'completed') {
    throw new ServiceError('conflict', `The import is ${item.state}`);
  }
  const isQueued = item.state === 'queued';
  await (isQueued ? cancelImport(tx, item.id) : deleteImport(tx, item.id));
  const kind = isQueued ? 'memory.import_cancel' : 'memory.import_forget';
  return { result: undefined, audit: importEvents(kind, [item]) };
}

/** Applies a retry: makes failed imports queued again, and returns them with their audit events and jobs. */
async function requeueImports(
  tx: TeamTransaction,
  { queue }: Pick<Dependencies, 'queue'>,
  which: FailedImports,
): Promise<Applied<Import[]>> {
  const imports = await requeueFailedImports(tx, which);
  if (imports.length === 0) return { result: imports, audit: [] };
  return {
    result: imports,
    audit: importEvents('memory.import_retry', imports),
    enqueue: () => enqueueImports(tx, queue, imports),
  };
}

type Needed = Pick<Dependencies, 'database' | 'queue'>;

/**
 * Runs one failed import again.
 * @throws ServiceError as `retryImports`
 */
export async function retryImport(deps: Needed, scope: TeamScope, id: string): Promise<Import> {
  const [retried] = await retryImports(deps, scope, [id]);
  if (retried === undefined) throw new ServiceError('conflict');
  return retried;
}

/**
 * Runs failed imports again, all or none.
 * @returns the imports in the order of the ids
 * @throws ServiceError `conflict` for an import that has not failed, or whose file has been deleted; as
 *   `lockImportsForDecision`
 */
export function retryImports(deps: Needed, scope: TeamScope, ids: readonly string[]): Promise<Import[]> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockImportsForDecision(tx, ids, 'retry'),
    apply: (tx, imports) => applyRetryImports(tx, deps, imports),
  });
}

async function applyRetryImports(
  tx: TeamTransaction,
  deps: Needed,
  imports: readonly Import[],
): Promise<Applied<Import[]>> {
  for (const { state, payloadPrunedAt, filename } of imports) {
    if (state !== 'failed') {
      throw new ServiceError('conflict', `The import of ${shownText(filename)} has not failed`);
    }
    if (payloadPrunedAt !== null) {
      throw new ServiceError('conflict', `The file ${shownText(filename)} has been deleted; import it again`);
    }
  }
  const ids = imports.map(({ id }) => id);
  const part = { after: null, limit: ids.length };
  const applied = await requeueImports(tx, deps, { layers: tx.scope.writes, ids, author: null, part });
  const result = applied.result.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
  return { ...applied, result };
}

/** Imports that one transaction retries. Other transactions wait for it. */
const MAX_IMPORTS_PER_SLICE = 500;

/**
 * Runs again every failed import that the caller can retry: their own, or everyone's with Full access. Each slice is a
 * transaction, because one transaction for a hundred thousand imports would take too long.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `team_archived`
 */
export async function retryAllImports(deps: Needed, scope: TeamScope): Promise<Import[]> {
  const imports: Import[] = [];
  for (let more = true; more; ) {
    // In the order of the ids, so that an import that fails again between two slices is not retried twice.
    const slice = await retrySlice(deps, scope, imports.at(-1)?.id ?? null);
    imports.push(...slice);
    more = slice.length === MAX_IMPORTS_PER_SLICE;
  }
  return imports;
}

function retrySlice(deps: Needed, scope: TeamScope, after: string | null): Promise<Import[]> {
  return runCommand(deps.database, scope, {
    lock: async (tx) => {
      const team = await lockTeamForWrite(tx);
      assertActive(team);
      const layers = await writableLayersNow(tx, team, scope.writes);
      return { layers, author: hasRight(team, 'actForOthers') ? null : team.userId };
    },
    apply: (tx, { layers, author }) =>
      requeueImports(tx, deps, { layers, ids: null, author, part: { after, limit: MAX_IMPORTS_PER_SLICE } }),
  });
}
