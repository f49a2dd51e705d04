import { Type } from 'typebox';
import { knownId } from '../../../core/access/known-id.ts';
import { assertActive, lockTeamForWrite, mayRead, mayWrite } from '../../../core/access/lock-and-recheck.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import { enqueueIndexing } from '../../../core/sources/enqueue-indexing.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import type { ListPart } from '../../../db/queries/fragments/list-part.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import {
  type FoundSource,
  findSource,
  listSourceChunks,
  listSources,
  lockOwnSource,
  type SourceFilter,
} from '../../../db/queries/memory/source-library.ts';
import { archiveSource } from '../../../db/queries/memory/sources.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { Page, PageQuery } from '../../../shared/schemas/common.ts';
import { SourceQuery, SourceText } from '../../../shared/schemas/library.ts';
import { Source } from '../../../shared/schemas/memory.ts';
import { narrowToClient } from '../../../shared/scope.ts';
import { soughtText } from '../../request/list-filter.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** Chunks that one answer holds: as many as an ingest may give. */
const CHUNKS_A_PAGE = 2000;

/**
 * Archives a source: its chunks go, its row and its audit stay.
 * @throws ServiceError `not_found`, `forbidden` for who neither has Full access nor made it and still writes there,
 *   `team_archived`, `conflict`
 */
async function archive(tx: TeamTransaction, { queue, config }: Dependencies, id: string): Promise<void> {
  const held = await lockTeamForWrite(tx);
  const found = await findSource(tx, id);
  if (found === null) throw new ServiceError('not_found');
  const { clientId, createdBy } = found.source;
  const { userId } = tx.scope;
  // Gone since it was found: its client is archived now, or out of the caller's reach.
  if (!(await mayRead(tx, held, clientId))) throw new ServiceError('not_found');
  const may = held.access === 'full' || createdBy === userId;
  if (!may || !(await mayWrite(tx, held, [clientId]))) {
    throw new ServiceError('forbidden', 'A source is archived by its author or with Full access');
  }
  assertActive(held);
  const source = await lockOwnSource(tx, id);
  if (source === null) throw new ServiceError('not_found');
  if (source.kind === 'memory') {
    throw new ServiceError('conflict', 'The source is a memory’s: delete the memory instead');
  }
  if (source.state === 'archived') throw new ServiceError('conflict', 'The source is archived already');
  await archiveSource(tx, id);
  insertAuditEvents(tx, [
    {
      kind: 'memory.archive',
      subjectType: 'source',
      subjectId: id,
      layer: clientId,
      detail: { chunks: source.chunks },
    },
  ]);
  await enqueueIndexing(tx, queue, config, []);
}

/**
 * Chunks of a source, each with the id that its pages go by.
 * @throws ServiceError `invalid_request` for a cursor of chunks that have been replaced since
 */
async function readChunks(tx: TeamTransaction, sourceId: string, part: ListPart) {
  const chunks = await listSourceChunks(tx, sourceId, part);
  if (chunks === null) throw invalidField('/cursor', 'is not a cursor of the source as it is now');
  return chunks.map((chunk) => ({ ...chunk, id: chunk.chunk_id }));
}

/** /v1/memory/sources: the texts that searches find, whole. */
export const sourcesRoutes: Routes = (app, deps) => {
  const { database } = deps;
  app.get(
    '/v1/memory/sources',
    {
      schema: {
        summary: 'Sources, newest first',
        tags: ['memory'],
        querystring: SourceQuery,
        response: { 200: Page(Source) },
      },
    },
    async ({ query, teamScope }) => {
      const filter: SourceFilter = {
        kind: query.kind ?? null,
        state: query.state ?? null,
        holds: soughtText(query.q),
      };
      // The scope is looked at behind the form of the page.
      return answerPage(query, (part) => {
        const scope = narrowToClient(teamScope, query.clientId);
        return transaction(database, scope, (tx) => listSources(tx, part, filter));
      });
    },
  );

  app.get(
    '/v1/memory/sources/:id',
    {
      schema: {
        summary: 'One source with its text',
        tags: ['memory'],
        params: IdParams,
        querystring: Type.Object(
          {
            ...PageQuery,
            limit: Type.Optional(Type.String({ description: 'of chunks: 1–2000, default 2000' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: SourceText },
      },
    },
    async ({ params, query, teamScope }) => {
      let found: FoundSource | null = null;
      // The source is looked for behind the form of the page.
      const { items, nextCursor } = await answerPage(
        query,
        (part) =>
          transaction(database, teamScope, async (tx) => {
            const id = knownId(params.id);
            found = await findSource(tx, id);
            if (found === null) throw new ServiceError('not_found');
            return readChunks(tx, id, part);
          }),
        { usual: CHUNKS_A_PAGE, most: CHUNKS_A_PAGE },
      );
      const { source, metadata } = found as unknown as FoundSource;
      return { ...source, metadata, chunks: items, nextCursor };
    },
  );

  app.delete(
    '/v1/memory/sources/:id',
    {
      schema: {
        summary: 'Archive a source; searches no longer find it',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Archived' } },
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      const id = knownId(params.id);
      await transaction(database, teamScope, (tx) => archive(tx, deps, id));
      reply.code(204);
      return null;
    },
  );
};
