import { ingestSource } from '../../../core/sources/ingest-source.ts';
import { parseIngest } from '../../../core/sources/parse-ingest.ts';
import { DOCUMENT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { assertFuture } from '../../../shared/formats/times.ts';
import { IngestRequest, IngestResponse } from '../../../shared/schemas/memory.ts';
import { writeLayer } from '../../../shared/scope.ts';
import { errorCodes } from '../../openapi/declared-errors.ts';
import { withWriteAccess } from '../../plugins/guards.ts';
import { answerOnce, isRepeatable, readIdempotencyKey } from '../../plugins/idempotency.ts';
import { disconnectSignal } from '../../request/disconnect-signal.ts';
import { INGEST_JSON_LIMITS } from '../../request/json-limits.ts';
import type { Routes } from '../../types.ts';

/** POST /v1/memory/ingest: stores a text, which keyword search finds as soon as the answer is sent. */
export const ingestRoute: Routes = (app, deps) => {
  const { config, database } = deps;
  app.post(
    '/v1/memory/ingest',
    {
      onRequest: withWriteAccess,
      bodyLimit: DOCUMENT_BODY_LIMIT,
      config: { jsonLimits: INGEST_JSON_LIMITS, vectorList: 'chunks', permission: 'memory:write' },
      schema: {
        operationId: 'ingestSource',
        summary: 'Store a text or passages',
        description:
          'A text that is already stored in the scope is a duplicate: 200, and nothing changes. An `externalId` identifies ' +
          'one source of the scope: a different text replaces its passages (200), and the same text with a different title, ' +
          'uri, metadata, tags or expiry updates these fields (200, `updated` lists them). An agent token without ' +
          '`memory:review` can do that only to sources that its owner made: 403 `forbidden`.',
        tags: ['memory'],
        body: IngestRequest,
        response: { 200: IngestResponse, 201: IngestResponse },
        errors: errorCodes(
          'embedding_model_mismatch',
          'embedding_dimension_mismatch',
          'scope_forbidden',
          'forbidden',
          'not_found',
          'team_archived',
          'secret_detected',
          'quota_exceeded',
        ),
      },
      preValidation: readIdempotencyKey,
    },
    async (request, reply) => {
      const { body, teamScope } = request;
      const parsed = await parseIngest(body, config.embeddingModel);
      // The answer of an earlier request is repeated also after the expiry.
      if (!isRepeatable(request)) assertFuture(parsed.expiresAt);
      const layerId = writeLayer(teamScope, body.scope);
      const ingest = { ...parsed, layerId, signal: disconnectSignal(reply) };
      return answerOnce(request, reply, database, ingestSource(deps, teamScope, ingest));
    },
  );
};
