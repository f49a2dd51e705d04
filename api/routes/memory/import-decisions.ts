import { type TeamTransaction, transaction } from '../../../db/database.ts';
import { type AuditKind, insertAuditEvents } from '../../../db/queries/audit.ts';
import {
  cancelImport,
  deleteImport,
  lockOwnImport,
  requeueFailedImports,
} from '../../../db/queries/import-decisions.ts';
import { findImport } from '../../../db/queries/imports.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { Import, ImportResponse, RetryRequest } from '../../../shared/schemas/imports.ts';
import type { Routes } from '../../app.ts';
import type { Dependencies } from '../../dependencies.ts';
import { queueImports } from '../../imports/queue-imports.ts';
import { IdParams, knownId } from '../../known-id.ts';
import { assertActive, type HeldTeam, holdTeam, mayRead, mayWrite, writableNow } from '../../take.ts';

/**
 * Takes an import for a decision on it, as it is now.
 * @throws ServiceError `not_found`, `forbidden` for who neither has Full access nor made it and still writes there,
 *   `team_archived`
 */
async function takeImport(tx: TeamTransaction, held: HeldTeam, id: string): Promise<Import> {
  const found = await findImport(tx, id);
  // Or gone since it was found: its client is archived now, or out of the caller's reach.
  if (found === null || !(await mayRead(tx, held, found.clientId))) throw new ServiceError('not_found');
  const may = held.access === 'full' || found.createdBy === held.userId;
  if (!may || !(await mayWrite(tx, held, [found.clientId]))) {
    throw new ServiceError('forbidden', 'An import is retried and removed by its author or with Full access');
  }
  assertActive(held);
  const taken = await lockOwnImport(tx, id);
  if (taken === null) throw new ServiceError('not_found');
  return taken;
}

async function recordDecisions(
  tx: TeamTransaction,
  kind: AuditKind,
  imports: readonly Import[],
): Promise<void> {
  await insertAuditEvents(
    tx,
    imports.map(({ id, clientId, attempts }) => ({
      kind,
      subjectType: 'import' as const,
      subjectId: id,
      layer: clientId,
      detail: { attempts },
    })),
  );
}

/** Imports put back into the queue, with their jobs and audit events. */
async function retry(
  tx: TeamTransaction,
  { queue }: Dependencies,
  which: Parameters<typeof requeueFailedImports>[1],
): Promise<Import[]> {
  const imports = await requeueFailedImports(tx, which);
  if (imports.length === 0) return imports;
  await queueImports(tx, queue, imports);
  await recordDecisions(tx, 'memory.import_retry', imports);
  return imports;
}

/**
 * Retries these imports, all or none.
 * @throws ServiceError `conflict` for one that has not failed, or whose file is gone; as `takeImport`
 */
async function retryThese(
  tx: TeamTransaction,
  deps: Dependencies,
  ids: readonly string[],
): Promise<Import[]> {
  const held = await holdTeam(tx);
  const taken: Import[] = [];
  // In one order, so that two requests never wait for each other.
  for (const id of ids.toSorted()) taken.push(await takeImport(tx, held, id));
  for (const { state, payloadPrunedAt, filename } of taken) {
    if (state !== 'failed') throw new ServiceError('conflict', `The import of ${filename} has not failed`);
    if (payloadPrunedAt !== null) {
      throw new ServiceError('conflict', `The file ${filename} is not kept any more: import it anew`);
    }
  }
  const layers = await writableNow(tx, held, tx.scope.writes);
  return retry(tx, deps, { layers, ids, author: null });
}

/** Retries every failed import that the caller may. */
async function retryAll(tx: TeamTransaction, deps: Dependencies): Promise<Import[]> {
  const held = await holdTeam(tx);
  assertActive(held);
  const layers = await writableNow(tx, held, tx.scope.writes);
  return retry(tx, deps, { layers, ids: null, author: held.access === 'full' ? null : held.userId });
}

/**
 * Cancels a queued import, forgets one that failed or was cancelled.
 * @throws ServiceError `conflict` in any other state; as `takeImport`
 */
async function remove(tx: TeamTransaction, id: string): Promise<void> {
  const taken = await takeImport(tx, await holdTeam(tx), id);
  if (taken.state === 'running' || taken.state === 'completed') {
    throw new ServiceError('conflict', `The import is ${taken.state}`);
  }
  if (taken.state === 'queued') {
    await cancelImport(tx, id);
    await recordDecisions(tx, 'memory.import_cancel', [taken]);
  } else {
    await deleteImport(tx, id);
    await recordDecisions(tx, 'memory.import_forget', [taken]);
  }
}

/** What is done with imports that failed or are still waiting. */
export const importDecisionRoutes: Routes = (app, deps) => {
  const { database } = deps;
  app.post(
    '/v1/memory/imports/:id/retry',
    {
      schema: {
        summary: 'Run a failed import again',
        tags: ['memory'],
        params: IdParams,
        response: { 202: Import },
      },
    },
    async ({ params, teamScope }, reply) => {
      const id = knownId(params.id);
      const [retried] = await transaction(database, teamScope, (tx) => retryThese(tx, deps, [id]));
      if (retried === undefined) throw new ServiceError('conflict');
      reply.code(202);
      return retried;
    },
  );

  app.post(
    '/v1/memory/imports/retry',
    {
      schema: {
        summary: 'Run failed imports again',
        tags: ['memory'],
        body: RetryRequest,
        response: { 202: ImportResponse },
      },
    },
    async ({ body, teamScope }, reply) => {
      const { ids, all } = body;
      if ((ids === undefined) === (all === undefined)) throw invalidField('/', 'needs either ids or all');
      const imports = await transaction(database, teamScope, (tx) =>
        ids === undefined ? retryAll(tx, deps) : retryThese(tx, deps, ids.map(knownId)),
      );
      reply.code(202);
      return { imports };
    },
  );

  app.delete(
    '/v1/memory/imports/:id',
    {
      schema: {
        summary: 'Cancel a queued import, or forget one that is over',
        tags: ['memory'],
        params: IdParams,
        response: { 204: { type: 'null', description: 'Cancelled or forgotten' } },
      } as const,
    },
    async ({ params, teamScope }, reply) => {
      const id = knownId(params.id);
      await transaction(database, teamScope, (tx) => remove(tx, id));
      reply.code(204);
      return null;
    },
  );
};
