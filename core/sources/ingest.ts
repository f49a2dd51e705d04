import { type Database, readOnce, type TeamTransaction, transaction } from '../../db/driver/database.ts';
import { changesTerms } from '../../db/queries/sources/changes.ts';
import { findReadableSources, findSourceDays, type SourceDays } from '../../db/queries/sources/lists.ts';
import { CHUNKS_FORM } from '../../db/queries/sources/sources.ts';
import { MAX_TEXT_BYTES } from '../../shared/body-limits.ts';
import { checkDeclaredModel, normalizeEmbedding } from '../../shared/embeddings.ts';
import { invalidField } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/names.ts';
import {
  assertFuture,
  dayOfMoment,
  type Moment,
  parseExpiry,
  parseOptionalMoment,
} from '../../shared/formats/times.ts';
import { yieldBetweenSteps } from '../../shared/resources/async.ts';
import { SoleReference } from '../../shared/resources/process.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { IngestRequest, IngestResponse } from '../../shared/schemas/sources.ts';
import type { LayerId, TeamScope } from '../../shared/scope.ts';
import type { RedactionMode } from '../../shared/settings/team-settings.ts';
import { contentHashInTurns } from '../../shared/text/content-hash.ts';
import { prepareSource } from '../../shared/text/prepare-batch.ts';
import { type ChunkInput, fieldsOn, type SourceFields } from '../../shared/text/prepared-chunks.ts';
import { readTextForm } from '../../shared/text/text-form.ts';
import { requireLayerWrite } from '../access/lock-and-recheck.ts';
import { type Applied, goneAnswer, type OnceCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { maskedId, redactFields, redactionMode } from '../redaction/redact.ts';
import { enqueueIndexing } from './indexing.ts';
import { assertMetadata } from './metadata.ts';
import {
  commitSource,
  deleteStagedSource,
  type StagedSource,
  type StoredDraft,
  stageSource,
  withEmbeddings,
} from './store.ts';

interface ParsedIngest {
  body: IngestRequest;
  /** One for each chunk of the body, at unit length. Null for a chunk without a vector. */
  embeddings: readonly (Float32Array | null)[];
  /** Normalized. Null: not given. */
  tags: string[] | null;
  /** Undefined: not given; null: unknown. */
  occurredAt: Moment | null | undefined;
  /** Undefined: not given; null: never. `ingestSource` checks that it is in the future. */
  expiresAt: Date | null | undefined;
}

/**
 * Parses the body of an ingest, except its scope. The event loop turns in between, because there can be 2,000 vectors.
 * @param model of the vectors that the service stores
 * @throws ServiceError `invalid_request`, the refusals of an embedding
 */
export async function parseIngest(body: IngestRequest, model: string): Promise<ParsedIngest> {
  const { text, chunks } = body;
  if (text !== undefined && chunks !== undefined) {
    throw invalidField('/chunks', 'cannot be combined with text');
  }
  if (text === undefined && chunks === undefined) {
    throw invalidField('/text', 'is required when `chunks` is absent');
  }
  const given = chunks ?? [];
  if (given.some((chunk) => chunk.embedding !== undefined)) checkDeclaredModel(body, model);
  const embeddings: (Float32Array | null)[] = [];
  const yieldIfDue = yieldBetweenSteps();
  for (const [index, { embedding }] of given.entries()) {
    embeddings.push(
      embedding === undefined ? null : normalizeEmbedding(embedding, `/chunks/${index}/embedding`),
    );
    await yieldIfDue();
  }
  assertMetadata(body.metadata);
  return {
    body,
    embeddings,
    tags: body.tags === undefined ? null : parseTags(body.tags),
    occurredAt: parseOptionalMoment(body.occurredAt, '/occurredAt'),
    expiresAt: parseExpiry(body.expiresAt, '/expiresAt'),
  };
}

/** An ingest that has been checked for credentials. */
export interface CheckedIngest extends ParsedIngest {
  redactions: Redaction[];
}

/**
 * Checks an ingest for credentials. A vector that came with a chunk in which one was masked is dropped, because it describes
 * the credential too.
 * @param ingest if it is masked, its texts are deleted from its body
 * @throws ServiceError `secret_detected`
 */
async function redactIngest(
  mode: RedactionMode,
  teamId: string,
  ingest: ParsedIngest,
): Promise<CheckedIngest> {
  const { body } = ingest;
  const { title, text, chunks, uri, externalId, metadata, tags } = body;
  const texts = chunks?.map((chunk) => ({ text: chunk.text }));
  const checked = await redactFields(mode, { title, text, chunks: texts, uri, externalId, metadata, tags });
  checked.assertAllowed();
  const { fields, redactions } = checked;
  if (!checked.isMasked) return { ...ingest, redactions };
  const embeddings = ingest.embeddings.map((embedding, index) =>
    fields.chunks?.[index]?.text === chunks?.[index]?.text ? embedding : null,
  );
  const masked = { ...body };
  const stored = { ...fields, externalId: maskedId(teamId, externalId, fields.externalId) };
  for (const [name, value] of Object.entries(stored)) {
    if (value !== undefined) Object.assign(masked, { [name]: value });
  }
  // They would otherwise stay in memory as long as the request.
  delete body.text;
  delete body.chunks;
  return {
    ...ingest,
    body: masked,
    embeddings,
    tags: fields.tags === undefined ? null : parseTags(fields.tags),
    redactions,
  };
}

/** An ingest as it is staged. */
export interface Ingest extends ParsedIngest {
  layerId: LayerId;
  /** The source whose text it replaces, whatever its names. */
  replaces?: { id: string; externalId: string | null };
  /** Of the request: nothing more is cut after it is closed. */
  signal: AbortSignal;
}

/** A staged source, and the credentials that were found in its texts. */
export interface StagedIngest {
  staged: StagedSource;
  redactions: Redaction[];
}

type StoredIngest = StoredDraft & { redactions: Redaction[] };

/**
 * Stores a text or chunks as a source, with the jobs that index it. With an external id, it replaces or updates the source
 * that has the id.
 * @param ingest the text and the chunks are deleted from its body when the command prepares them
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `scope_forbidden`, `team_archived`, `invalid_request` for too
 *   many chunks, or an expiry in the past, `secret_detected`, `quota_exceeded`, `forbidden` as `commitSource`; of a repeat
 *   `not_found` if the caller can no longer read the source
 */
export function ingestSource(
  deps: Pick<Dependencies, 'config' | 'database' | 'queue'>,
  scope: TeamScope,
  ingest: Ingest,
): OnceCommand<void, StoredIngest, StagedIngest> {
  const { database } = deps;
  return {
    prepare: async () => {
      assertFuture(ingest.expiresAt);
      return stageIngest(deps, scope, ingest);
    },
    lock: (tx) => requireLayerWrite(tx, ingest.layerId),
    quota: deps.config,
    apply: async (tx, _, { staged, redactions }) => {
      const { result, ...applied } = await commitIngest(tx, deps, staged);
      return { ...applied, result: { ...result, redactions } };
    },
    answer: (stored) => {
      const { outcome, source, embedded, similarSources, redactions } = stored;
      const fields = {
        source,
        chunks: source.chunks,
        embedded,
        duplicate: outcome === 'duplicate',
        similarSources,
        redactions,
      };
      return {
        status: outcome === 'created' ? 201 : 200,
        body: outcome === 'updated' ? { ...fields, updated: stored.updated } : fields,
      };
    },
    recheckAnswer: (body) => readableAnswer(database, scope, body as StoredIngestAnswer),
    deleteStaged: ({ staged }) => deleteStagedSource(database, scope, staged),
  };
}

/** A stored answer. One of an earlier version can have no near duplicates. */
type StoredIngestAnswer = Pick<IngestResponse, 'source'> & Partial<IngestResponse>;

/**
 * Returns an answer without the near duplicates that the caller can no longer read.
 * @throws ServiceError `not_found` if the caller can no longer read the source
 */
async function readableAnswer(
  database: Database,
  scope: TeamScope,
  answer: StoredIngestAnswer,
): Promise<StoredIngestAnswer> {
  const { source, similarSources = [] } = answer;
  const ids = [source.id, ...similarSources.map(({ sourceId }) => sourceId)];
  const readable = await readOnce(database, scope, (tx) => findReadableSources(tx, ids));
  if (!readable.has(source.id)) throw goneAnswer();
  return { ...answer, similarSources: similarSources.filter(({ sourceId }) => readable.has(sourceId)) };
}

/**
 * Checks an ingest for credentials, cuts it, and writes its chunks if they are many.
 * @throws ServiceError `secret_detected`, `invalid_request` for too many chunks
 */
export async function stageIngest(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { layerId, replaces, signal, ...ingest }: Ingest,
): Promise<StagedIngest> {
  const mode = redactionMode(config, scope);
  const { body, embeddings, tags, occurredAt, expiresAt, redactions } = await redactIngest(
    mode,
    scope.teamId,
    ingest,
  );
  const { externalId, text } = body;
  // The text of a longer one cannot be read, so it keeps nothing for that.
  const isReadable = text !== undefined && Buffer.byteLength(text) <= MAX_TEXT_BYTES;
  const textForm = isReadable ? await readTextForm(text) : CHUNKS_FORM;
  const name = replaces ?? (externalId === undefined ? null : { externalId, layerId });
  const stored = name === null ? null : await transaction(database, scope, (tx) => findSourceDays(tx, name));
  const input = removeInput(body, dayAfter(stored, occurredAt), tags ?? stored?.tags ?? []);
  const contentHash = await contentHashInTurns(input.value);
  const { fields } = input.value;
  const prepared = await prepareSource(scope.teamId, input, signal);
  const staged = await stageSource(database, scope, {
    layerId,
    kind: 'ingest',
    title: body.title,
    uri: body.uri ?? null,
    externalId: replaces?.externalId ?? externalId ?? null,
    ...(replaces === undefined ? {} : { replacesId: replaces.id }),
    metadata: body.metadata ?? null,
    ...(occurredAt === undefined ? {} : { occurredAt }),
    indexedAs: fields,
    textForm,
    keepVersions: config.sourceKeepVersions,
    tags,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    contentHash,
    model: config.embeddingModel,
    chunks: withEmbeddings(prepared, embeddings),
  });
  return { staged, redactions };
}

/** The day of a source after an ingest; null: today. */
function dayAfter(stored: SourceDays | null, occurredAt: Moment | null | undefined): string | null {
  if (occurredAt != null) return dayOfMoment(occurredAt);
  return (occurredAt === undefined ? stored?.date : stored?.creation) ?? null;
}

/**
 * Removes the text or the chunks from the body. The body lives as long as the request, and up to 32 MiB would stay in memory
 * until all of it is written.
 */
function removeInput(
  body: IngestRequest,
  day: string | null,
  tags: readonly string[],
): SoleReference<ChunkInput & { fields: SourceFields }> {
  const { title, text = '', chunks } = body;
  const fields = fieldsOn(day, title, tags);
  delete body.text;
  delete body.chunks;
  return new SoleReference(
    chunks === undefined ? { text, fields } : { chunks: chunks.map((chunk) => chunk.text), fields },
  );
}

/**
 * Commits a staged ingest.
 * @param detail what its event says of a text that is replaced, beside its numbers
 * @returns the source, with the events and the jobs of the command
 * @throws ServiceError as `commitSource`
 */
export async function commitIngest(
  tx: TeamTransaction,
  { queue, config }: Pick<Dependencies, 'config' | 'queue'>,
  staged: StagedSource,
  detail: object = {},
): Promise<Applied<StoredDraft>> {
  const { layerId } = staged.source;
  const stored = await commitSource(tx, staged);
  const { outcome, source, embedded, expired } = stored;
  if (outcome === 'duplicate') return { result: stored, audit: expired };
  const subject = { subjectType: 'source', subjectId: source.id, clientId: source.clientId } as const;
  if (outcome === 'updated') {
    return {
      result: stored,
      audit: [...expired, { kind: 'memory.update', ...subject, detail: { updated: stored.updated } }],
      enqueue: async () => {
        if (changesTerms(stored.updated)) await enqueueIndexing(tx, queue, config, [], source.id);
      },
    };
  }
  const kind = outcome === 'created' ? 'memory.ingest' : 'memory.replace';
  return {
    result: stored,
    audit: [...expired, { kind, ...subject, detail: { chunks: source.chunks, embedded, ...detail } }],
    enqueue: () => enqueueIndexing(tx, queue, config, embedded < source.chunks ? [layerId] : []),
  };
}
