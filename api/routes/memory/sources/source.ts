import { parseId } from '../../../../core/access/parse-id.ts';
import { readSource, type SourcePart } from '../../../../core/sources/read-source.ts';
import { ServiceError } from '../../../../shared/errors.ts';
import { CHUNKS_PER_PAGE, ChunksQuery, SourceText } from '../../../../shared/schemas/library.ts';
import { answerPage } from '../../../request/pagination.ts';
import { IdParams } from '../../../request/path-params.ts';
import type { Routes } from '../../../types.ts';

/** GET /v1/memory/sources/:id */
export const sourceRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/sources/:id',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'getSource',
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
};
