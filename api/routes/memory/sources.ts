import { transaction } from '../../../db/driver/database.ts';
import { listSources, type SourceFilter } from '../../../db/queries/memory/source-library.ts';
import { Page } from '../../../shared/schemas/common.ts';
import { SourceQuery } from '../../../shared/schemas/library.ts';
import { Source } from '../../../shared/schemas/memory.ts';
import { narrowToClient } from '../../../shared/scope.ts';
import { parseTextFilter } from '../../request/list-filter.ts';
import { answerPage } from '../../request/pagination.ts';
import type { Routes } from '../../types.ts';

/** GET /v1/memory/sources: the documents that searches find. */
export const sourcesRoute: Routes = (app, { database }) => {
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
        text: parseTextFilter(query.q),
      };
      return answerPage(query, (part) => {
        // Here, so that a malformed page is refused before a client that the caller cannot read.
        const scope = narrowToClient(teamScope, query.clientId);
        return transaction(database, scope, (tx) => listSources(tx, part, filter));
      });
    },
  );
};
