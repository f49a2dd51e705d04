import { Type } from 'typebox';
import { parseId } from '../../../../core/access/parse-id.ts';
import { listVersions } from '../../../../core/memories/list-versions.ts';
import { readMemory } from '../../../../core/memories/read-memory.ts';
import { Page, PageQuery } from '../../../../shared/schemas/common.ts';
import { Memory, MemoryVersion } from '../../../../shared/schemas/library.ts';
import { IdParams } from '../../../request/path-params.ts';
import { parseVersionPage, versionPageOf } from '../../../request/version-pages.ts';
import type { Routes } from '../../../types.ts';

/** GET /v1/memory/memories/:id, and its versions: also for callers without Full access, if the memory is published. */
export const memoryRoute: Routes = (app, deps) => {
  app.get(
    '/v1/memory/memories/:id',
    {
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'getMemory',
        summary: 'One memory. Without Full access, only a published one',
        tags: ['memory'],
        params: IdParams,
        response: { 200: Memory },
      },
    },
    async ({ params, teamScope }) => readMemory(deps, teamScope, parseId(params.id)),
  );

  app.get(
    '/v1/memory/memories/:id/versions',
    {
      config: { permission: 'memory:review' },
      schema: {
        operationId: 'listMemoryVersions',
        summary: 'The texts that a memory has had, newest first, with the changes of each',
        tags: ['memory'],
        params: IdParams,
        querystring: Type.Object(PageQuery),
        response: { 200: Page(MemoryVersion) },
      },
    },
    async ({ params, query, teamScope }) => {
      // First, so that a malformed page is refused before an unknown id.
      const part = parseVersionPage(query);
      const { items, hasMore } = await listVersions(deps, teamScope, parseId(params.id), part);
      return versionPageOf(items, hasMore);
    },
  );
};
