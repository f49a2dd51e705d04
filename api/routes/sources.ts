import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import { type Static, Type } from 'typebox';
import type { Outcome } from '../../core/access/run-each.ts';
import { purgeMemory } from '../../core/memories/purge.ts';
import { type ChangedInBatch, changeEach, parseBatch, undoOf } from '../../core/sources/batch.ts';
import { changeSource } from '../../core/sources/commands.ts';
import { ingestSource, parseIngest } from '../../core/sources/ingest.ts';
import {
  findOriginal,
  getSource,
  listSources,
  listTags,
  readOriginal,
  type SourceListFilter,
  type SourcePart,
} from '../../core/sources/queries.ts';
import { archiveSource, archiveSources, purgeSource, restoreSource } from '../../core/sources/removal.ts';
import { restoreSourceVersion } from '../../core/sources/replace-text.ts';
import { listSourceVersions } from '../../core/sources/texts.ts';
import { DOCUMENT_BODY_LIMIT, MAX_TEXT_BYTES } from '../../shared/body-limits.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseTag, safeFileName } from '../../shared/formats/names.ts';
import { assertFuture, parseOccurredBounds } from '../../shared/formats/times.ts';
import { parseId } from '../../shared/ids.ts';
import { Page, PageQuery } from '../../shared/schemas/common.ts';
import {
  ArchiveRequest,
  ArchiveResponse,
  CHUNKS_PER_PAGE,
  ChangedSource,
  IngestRequest,
  IngestResponse,
  Source,
  SourceBatch,
  SourceBatchResponse,
  SourceChange,
  SourceQuery,
  SourceText,
  SourceTextQuery,
  SourceVersion,
  TagCount,
  TagQuery,
} from '../../shared/schemas/sources.ts';
import { writeLayer } from '../../shared/scope.ts';
import { INGEST_JSON_LIMITS } from '../http/bodies/read-body.ts';
import { problemOf } from '../http/errors.ts';
import { assertTeamActive, withRight, withWriteAccess } from '../http/guards.ts';
import { answerOnce, isRepeatable, readIdempotencyKey } from '../http/input.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import {
  answerPage,
  answerSortedPage,
  answerVersionPage,
  disconnectSignal,
  IdParams,
  parseLimit,
  parseTextFilter,
  parseWholeNumber,
  RowCount,
  requestedBytes,
} from '../http/requests.ts';
import type { Routes } from '../types.ts';

/** If a browser shows the file nevertheless, nothing in it is run or loaded. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; sandbox";

/** For the largest file at 7 kB/s. A caller that receives nothing is disconnected earlier, as on every route. */
const MAX_DOWNLOAD_MS = 3_600_000;

const file = (description: string) => ({
  description,
  content: { '*/*': { schema: Type.Unsafe<Readable>({ type: 'string', format: 'binary' }) } },
});

/**
 * Parses `version` of one source; null for its present text.
 * @throws ServiceError `invalid_request`
 */
function parseVersion({ text, version }: Static<typeof SourceTextQuery>): number | null {
  if (version === undefined) return null;
  if (text !== 'true') throw invalidField('/version', 'is only possible with text=true');
  return parseWholeNumber(version, '/version');
}

/** /v1/memory/ingest, /v1/memory/sources, /v1/memory/memories, /v1/memory/tags */
export const sourceRoutes: Routes = (app, deps) => {
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

  app.get(
    '/v1/memory/sources',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'listSources',
        summary: 'Sources, newest first unless `sort` says otherwise',
        tags: ['memory'],
        querystring: SourceQuery,
        response: { 200: Page(Source) },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ query, teamScope }) => {
      const filter: SourceListFilter = {
        clientId: query.clientId,
        kind: query.kind ?? null,
        state: query.state ?? null,
        text: parseTextFilter(query.q),
        tag: query.tag === undefined ? null : parseTag(query.tag, '/tag'),
        ...parseOccurredBounds(query),
      };
      return answerSortedPage(query, async (part) => {
        const rows = await listSources(deps, teamScope, { ...part, limit: part.limit + 1 }, filter);
        return { items: rows.slice(0, part.limit), hasMore: rows.length > part.limit };
      });
    },
  );

  app.get(
    '/v1/memory/sources/:id',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'getSource',
        summary: 'One source with its text',
        tags: ['memory'],
        params: IdParams,
        querystring: SourceTextQuery,
        response: { 200: SourceText },
      },
    },
    async ({ params, query, teamScope }) => {
      const version = parseVersion(query);
      let read = null as SourcePart | null;
      const page = await answerPage(
        query,
        async (part) => {
          // Here, so that a malformed page is refused before an unknown id.
          const text = query.text === 'true' ? { version } : {};
          read = await getSource(deps.database, teamScope, parseId(params.id), part, text);
          return read?.chunks ?? [];
        },
        { default: CHUNKS_PER_PAGE, max: CHUNKS_PER_PAGE },
      );
      if (read === null) throw new ServiceError('not_found');
      return {
        ...read.source,
        metadata: read.metadata,
        ...read.sent,
        chunks: page.items,
        nextCursor: page.nextCursor,
      };
    },
  );

  app.get(
    '/v1/memory/sources/:id/versions',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'listSourceVersions',
        summary: 'The texts that a source had before, newest first',
        description:
          'Read one with `?text=true&version=` of the source. The last `MEMORY_SOURCE_KEEP_VERSIONS` are kept.',
        tags: ['memory'],
        params: IdParams,
        querystring: Type.Object(PageQuery, { additionalProperties: false }),
        response: { 200: Page(SourceVersion) },
      },
    },
    async ({ params, query, teamScope }) =>
      // The page is parsed first, so that a malformed one is refused before an unknown id.
      answerVersionPage(query, (part) => listSourceVersions(deps, teamScope, parseId(params.id), part)),
  );

  app.patch(
    '/v1/memory/sources/:id',
    {
      bodyLimit: MAX_TEXT_BYTES,
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'changeSource',
        summary:
          'Change the title, the tags, the expiry or the text of a source, or move it to another layer',
        tags: ['memory'],
        params: IdParams,
        body: SourceChange,
        response: { 200: ChangedSource },
        errors: errorCodes(
          'scope_forbidden',
          'forbidden',
          'team_archived',
          'conflict',
          'version_conflict',
          'secret_detected',
          'quota_exceeded',
        ),
      },
    },
    async ({ params, body, teamScope }, reply) =>
      changeSource(deps, teamScope, params.id, body, disconnectSignal(reply)),
  );

  app.delete(
    '/v1/memory/sources/:id',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'archiveSource',
        summary: 'Archive a source; searches no longer find it',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Archived' } },
        errors: errorCodes('forbidden', 'team_archived', 'conflict'),
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await archiveSource(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );

  app.get(
    '/v1/memory/sources/:id/original',
    {
      config: { permission: 'memory:read' },
      handlerTimeout: MAX_DOWNLOAD_MS,
      schema: {
        operationId: 'getOriginal',
        summary: 'The file that a source was made of',
        description:
          'Returns the bytes in the media type of `original` of the source, always as an attachment. The ETag is their ' +
          'SHA-256. Supports `If-None-Match`, and one `Range` of bytes with `If-Range`. 404 if the source has no original.',
        tags: ['memory'],
        params: IdParams,
        response: {
          200: file('The whole file'),
          206: file('The bytes of the requested range; see `Content-Range`'),
          304: Type.Unsafe<undefined>({ type: 'null', description: 'The caller has the file already' }),
        },
        errors: errorCodes('range_not_satisfiable'),
      },
    },
    async ({ params, headers, method, teamScope }, reply) => {
      const id = parseId(params.id);
      const { sha256, bytes, mediaType, filename } = await findOriginal(deps, teamScope, id);
      const etag = `"${sha256}"`;
      const asked = requestedBytes(headers, { etag, bytes, method });
      if (asked.kind === 'unsatisfiable') {
        reply.header('content-range', `bytes */${bytes}`);
        throw new ServiceError('range_not_satisfiable');
      }
      if (asked.kind === 'unchanged') return reply.code(304).header('etag', etag).send(undefined);
      const { start, end } = asked;
      // Before the headers are set: if the file was deleted since, the answer is an error.
      const slices = method === 'HEAD' ? [] : await readOriginal(deps, teamScope, id, sha256, { start, end });
      if (asked.kind === 'part') reply.code(206).header('content-range', `bytes ${start}-${end}/${bytes}`);
      reply.headers({
        etag,
        'accept-ranges': 'bytes',
        'content-type': mediaType,
        'content-length': end + 1 - start,
        'content-disposition': contentDisposition(safeFileName(filename)),
        'content-security-policy': CONTENT_SECURITY_POLICY,
      });
      // One slice is in memory at a time, however slow the caller is.
      return reply.send(Readable.from(slices, { objectMode: false, highWaterMark: 1 }));
    },
  );

  app.post(
    '/v1/memory/sources/archive',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'archiveSources',
        summary: 'Archive many sources; searches no longer find them',
        description:
          'Archives at most 1,000 sources, the oldest first, in one transaction; fewer if they have very many passages. ' +
          'Repeat the request until `count` is 0. A dry run counts all of them.',
        tags: ['memory'],
        body: ArchiveRequest,
        response: { 200: ArchiveResponse },
        errors: errorCodes('scope_forbidden', 'team_archived'),
      },
    },
    async ({ body: { filter, dryRun }, teamScope }) => ({
      count: await archiveSources(deps, teamScope, filter, dryRun),
    }),
  );

  app.post(
    '/v1/memory/sources/batch',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'changeSources',
        summary: 'Change, move, archive or restore many sources, and learn how to take it back',
        description:
          'Changes up to 500 sources one after the other, each by the rules of `PATCH`, `DELETE` and `restore`, in a transaction of ' +
          'its own. The events have the same `batchId`. If the connection closes, the sources that follow stay as they are.',
        tags: ['memory'],
        body: SourceBatch,
        response: { 200: SourceBatchResponse },
        errors: errorCodes('scope_forbidden', 'team_archived'),
      },
    },
    async (request, reply) => {
      const { body, teamScope } = request;
      const signal = disconnectSignal(reply);
      const batch = await parseBatch(deps, teamScope, body);
      assertTeamActive(request);
      const outcomes: Outcome<ChangedInBatch>[] = [];
      for await (const outcome of changeEach(deps, teamScope, batch, signal)) outcomes.push(outcome);
      const results = outcomes.map((outcome, index) => ({
        id: body.ids[index] ?? '',
        ...('error' in outcome
          ? { problem: problemOf(outcome.error, request) }
          : { changed: outcome.changed }),
      }));
      const { redactions } = batch;
      return {
        results,
        undo: undoOf(outcomes),
        ...(redactions.length === 0 ? {} : { redactions: [...redactions] }),
      };
    },
  );

  app.post(
    '/v1/memory/sources/:id/restore',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'restoreSource',
        summary: 'Restore an archived source; searches find it again',
        description:
          'Restores the source as it was, with its passages and vectors, up to `MEMORY_ARCHIVE_DAYS` (default 30) after it ' +
          'was archived. It is 409 later, for a source that is active or has expired, for the source of a memory or a ' +
          'workspace file, and if the layer has an active source with the same text or `externalId`.',
        tags: ['memory'],
        params: IdParams,
        response: { 200: Source },
        errors: errorCodes('forbidden', 'team_archived', 'conflict', 'quota_exceeded'),
      },
    },
    ({ params, teamScope }) => restoreSource(deps, teamScope, parseId(params.id)),
  );

  app.post(
    '/v1/memory/sources/:id/versions/:version/restore',
    {
      config: { permission: 'memory:write' },
      schema: {
        operationId: 'restoreSourceVersion',
        summary: 'Restore a former text of a source; the present one becomes a version',
        description: 'The text is checked as an ingested one. It is 409 for a source that is archived.',
        tags: ['memory'],
        params: Type.Object({ ...IdParams.properties, version: Type.String() }),
        response: { 200: Source },
        errors: errorCodes('forbidden', 'team_archived', 'conflict', 'secret_detected', 'quota_exceeded'),
      },
    },
    ({ params, teamScope }, reply) => {
      const id = parseId(params.id);
      // A version that is no number is unknown, as an id that is none.
      if (!/^[1-9]\d{0,8}$/.test(params.version)) throw new ServiceError('not_found');
      return restoreSourceVersion(deps, teamScope, id, Number(params.version), disconnectSignal(reply));
    },
  );

  app.post(
    '/v1/memory/sources/:id/purge',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'purgeSource',
        summary: 'Delete a source for good',
        description:
          'Deletes the source in any state, with its passages, the imports that it was made of and their files. Only audit ' +
          'events keep its id. Other sources with the same text stay.',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Deleted' } },
        errors: errorCodes('team_archived', 'conflict'),
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await purgeSource(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );

  app.post(
    '/v1/memory/memories/:id/purge',
    {
      onRequest: withRight('decideMemories'),
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'purgeMemory',
        summary: 'Delete a memory for good',
        description:
          'Deletes the memory in any state, with its versions, its source and the captures that only this memory was made ' +
          'of. Only audit events keep its id.',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Deleted' } },
        errors: errorCodes('forbidden', 'team_archived'),
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      await purgeMemory(deps, teamScope, parseId(params.id));
      reply.code(204);
    },
  );

  app.get(
    '/v1/memory/tags',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'listTags',
        summary: 'The tags of active sources, and how many sources have each; in alphabetical order',
        tags: ['memory'],
        querystring: TagQuery,
        response: { 200: Page(TagCount) },
        errors: errorCodes('scope_forbidden'),
      },
    },
    async ({ query, teamScope }) => {
      const { cursor, clientId } = query;
      const count = new RowCount(query);
      const page = { limit: parseLimit(query.limit), cursor, clientId, ...count.asked };
      return { ...(await listTags(deps, teamScope, page)), ...count.fields };
    },
  );
};
