import { requireLayerWrite } from '../../../core/access/lock-and-recheck.ts';
import type { Answer } from '../../../core/access/run-once.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import { enqueueIndexing } from '../../../core/sources/enqueue-indexing.ts';
import { assertMetadata } from '../../../core/sources/metadata.ts';
import {
  commitSource,
  discardSource,
  type StagedSource,
  stageSource,
  withEmbeddings,
} from '../../../core/sources/store-source.ts';
import type { TeamTransaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import { DOCUMENT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { checkEmbeddingClaim, normalizeEmbedding } from '../../../shared/embeddings.ts';
import { invalidField } from '../../../shared/errors.ts';
import { SoleReference } from '../../../shared/resources/sole-reference.ts';
import { IngestRequest, IngestResponse } from '../../../shared/schemas/memory.ts';
import { type LayerId, type TeamScope, writeLayer } from '../../../shared/scope.ts';
import { contentHashInTurns } from '../../../shared/text/content-hash.ts';
import { prepareSource } from '../../../shared/text/prepare-batch.ts';
import type { ChunkInput } from '../../../shared/text/prepared-chunks.ts';
import { assertTeamActive, withWriteAccess } from '../../plugins/guards.ts';
import { answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import { goneSignal } from '../../request/gone-signal.ts';
import { INGEST_JSON_LIMITS } from '../../request/json-limits.ts';
import type { Routes } from '../../types.ts';

/** Refuses a body unless it has either text or chunks. */
function assertOneInput({ text, chunks }: IngestRequest): void {
  if (text !== undefined && chunks !== undefined)
    throw invalidField('/chunks', 'cannot be combined with text');
  if (text === undefined && chunks === undefined) {
    throw invalidField('/text', 'is required where there are no chunks');
  }
}

/**
 * The text to be cut, or the chunks that stay as given. They are removed from the body, which lives as long as the request:
 * 32 MiB would be kept until all of it is written.
 */
function removeInput(body: IngestRequest): SoleReference<ChunkInput> {
  const { text = '', chunks } = body;
  delete body.text;
  delete body.chunks;
  return new SoleReference(chunks === undefined ? { text } : { chunks: chunks.map((chunk) => chunk.text) });
}

/** The vectors that came with the chunks, at unit length. */
function chunkEmbeddings(body: IngestRequest, model: string): (Float32Array | null)[] {
  const given = body.chunks ?? [];
  if (given.some((chunk) => chunk.embedding !== undefined)) checkEmbeddingClaim(body, model);
  return given.map(({ embedding }, index) =>
    embedding === undefined ? null : normalizeEmbedding(embedding, `/chunks/${index}/embedding`),
  );
}

async function stage(
  { database, config }: Dependencies,
  { teamScope, body, signal }: { teamScope: TeamScope; body: IngestRequest; signal: AbortSignal },
  layer: LayerId,
  embeddings: readonly (Float32Array | null)[],
): Promise<StagedSource> {
  const input = removeInput(body);
  const contentHash = await contentHashInTurns(input.value);
  const prepared = await prepareSource(teamScope.teamId, input, signal);
  return stageSource(database, teamScope, {
    layer,
    kind: 'ingest',
    title: body.title,
    uri: body.uri ?? null,
    externalId: body.externalId ?? null,
    metadata: body.metadata ?? null,
    contentHash,
    model: config.embeddingModel,
    chunks: withEmbeddings(prepared, embeddings),
  });
}

/** Makes a staged source the one that everyone sees, with its audit event and the jobs that follow. */
async function store(
  tx: TeamTransaction,
  { queue, config }: Dependencies,
  staged: StagedSource,
): Promise<Answer> {
  await requireLayerWrite(tx, staged.source.layer);
  const stored = await commitSource(tx, staged);
  const { outcome, source, embedded } = stored;
  const chunks = { chunks: source.chunks, embedded };
  if (outcome === 'updated') {
    insertAuditEvents(tx, [
      {
        kind: 'memory.update',
        subjectType: 'source',
        subjectId: source.id,
        layer: staged.source.layer,
        detail: { updated: stored.updated },
      },
    ]);
    return { status: 200, body: { source, ...chunks, duplicate: false, updated: stored.updated } };
  }
  if (outcome !== 'duplicate') {
    insertAuditEvents(tx, [
      {
        kind: outcome === 'created' ? 'memory.ingest' : 'memory.replace',
        subjectType: 'source',
        subjectId: source.id,
        layer: staged.source.layer,
        detail: chunks,
      },
    ]);
    await enqueueIndexing(tx, queue, config, embedded < source.chunks ? [staged.source.layer] : []);
  }
  return {
    status: outcome === 'created' ? 201 : 200,
    body: { source, ...chunks, duplicate: outcome === 'duplicate' },
  };
}

/** POST /v1/memory/ingest: stores a text, searchable by keyword when the answer comes. */
export const ingestRoute: Routes = (app, deps) => {
  const { config, database } = deps;
  app.post(
    '/v1/memory/ingest',
    {
      onRequest: withWriteAccess,
      bodyLimit: DOCUMENT_BODY_LIMIT,
      config: { jsonLimits: INGEST_JSON_LIMITS },
      schema: {
        summary: 'Store a text or chunks',
        description:
          'A text that the scope has already is a duplicate: 200, and nothing changes. An `externalId` names one ' +
          'source of the scope: another text replaces its chunks (200), and the same text with another title, uri ' +
          'or metadata updates these fields (200, `updated` lists them).',
        tags: ['memory'],
        body: IngestRequest,
        response: { 200: IngestResponse, 201: IngestResponse },
      },
      preValidation: readIdempotencyKey,
    },
    async (request, reply) => {
      const { body, teamScope } = request;
      assertOneInput(body);
      const embeddings = chunkEmbeddings(body, config.embeddingModel);
      assertMetadata(body.metadata);
      const layer = writeLayer(teamScope, body.scope);
      assertTeamActive(request);
      return answerOnce(request, reply, database, {
        prepare: () => stage(deps, { teamScope, body, signal: goneSignal(reply) }, layer, embeddings),
        lock: async () => undefined,
        apply: async (tx, _, staged) => ({ result: await store(tx, deps, staged), audit: [] }),
        answer: (result) => result,
        discard: (staged) => discardSource(database, teamScope, staged),
      });
    },
  );
};
