import { Type } from 'typebox';
import { parseId } from '../../../core/access/parse-id.ts';
import { archiveSource } from '../../../core/sources/archive-source.ts';
import { readSource, type SourcePart } from '../../../core/sources/read-source.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { PageQuery } from '../../../shared/schemas/common.ts';
import { SourceText } from '../../../shared/schemas/library.ts';
import { answerPage } from '../../request/pagination.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

/** As many as one ingest can store. */
const CHUNKS_PER_PAGE = 2000;

const ChunksQuery = Type.Object(
  {
    ...PageQuery,
    limit: Type.Optional(Type.String({ description: 'of chunks: 1–2000, default 2000' })),
  },
  { additionalProperties: false },
);

/** /v1/memory/sources/:id */
export const sourceRoutes: Routes = (app, deps) => {
  app.get(
    '/v1/memory/sources/:id',
    {
      schema: {
        summary: 'One source with its text',
        tags: ['memory'],
        params: IdParams,
        querystring: ChunksQuery,
        response: { 200: SourceText },
      },
    },
    async ({ params, query, teamScope }) => {
      let read = null as SourcePart | null;
      const page = await answerPage(
        query,
        async (part) => {
          // Here, so that a malformed page is refused before an unknown id.
          read = await readSource(deps.database, teamScope, parseId(params.id), part);
          return read?.chunks ?? [];
        },
        { default: CHUNKS_PER_PAGE, max: CHUNKS_PER_PAGE },
      );
      if (read === null) throw new ServiceError('not_found');
      return { ...read.source, metadata: read.metadata, chunks: page.items, nextCursor: page.nextCursor };
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
      await archiveSource(deps, teamScope, parseId(params.id));
      reply.code(204);
      return null;
    },
  );
};
