import { getStatus, pendingChunksReader, queueHealthReader, queueReader } from '../../core/status/queries.ts';
import { isServiceToken } from '../../shared/access.ts';
import { Status } from '../../shared/schemas/status.ts';
import type { Routes } from '../types.ts';

/** GET /v1/memory/status: figures of the content that the caller can read and, with Full access, of jobs and workers. */
export const statusRoutes: Routes = (app, deps) => {
  const readQueues = queueReader(deps.database);
  const readQueueHealth = queueHealthReader(deps);
  const readPendingChunks = pendingChunksReader(deps.database);
  app.get(
    '/v1/memory/status',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'getStatus',
        summary: 'Sources, imports, jobs and workers',
        tags: ['memory'],
        response: { 200: Status },
      },
    },
    async ({ teamScope, identity }) => {
      const readers = { readQueues, readQueueHealth, readPendingChunks };
      return getStatus({ ...deps, ...readers }, teamScope, isServiceToken(identity));
    },
  );
};
