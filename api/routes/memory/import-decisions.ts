import { assertActive, lockTeamForWrite, writableLayersNow } from '../../../core/access/lock-and-recheck.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import { enqueueImports } from '../../../core/imports/enqueue-imports.ts';
import { lockImportsForDecision } from '../../../core/imports/lock-imports.ts';
import { type TeamTransaction, transaction } from '../../../db/driver/database.ts';
import { type AuditKind, insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import {
  cancelImport,
  deleteImport,
  requeueFailedImports,
} from '../../../db/queries/memory/import-decisions.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { Import, ImportResponse, RetryRequest } from '../../../shared/schemas/imports.ts';
import type { TeamScope } from '../../../shared/scope.ts';
import { IdParams } from '../../request/path-params.ts';
import type { Routes } from '../../types.ts';

function recordDecisions(tx: TeamTransaction, kind: AuditKind, imports: readonly Import[]): void {
  insertAuditEvents(
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
  await enqueueImports(tx, queue, imports);
  recordDecisions(tx, 'memory.import_retry', imports);
  return imports;
}

/**
 * Retries these imports, all or none, and returns them in the order given.
 * @throws ServiceError `conflict` for one that has not failed, or whose file is gone; as `lockImportsForDecision`
 */
async function retryThese(
  tx: TeamTransaction,
  deps: Dependencies,
  named: readonly string[],
): Promise<Import[]> {
  const taken = await lockImportsForDecision(tx, named);
  for (const { state, payloadPrunedAt, filename } of taken) {
    if (state !== 'failed') throw new ServiceError('conflict', `The import of ${filename} has not failed`);
    if (payloadPrunedAt !== null) {
      throw new ServiceError('conflict', `The file ${filename} has been deleted; import it again`);
    }
  }
  const ids = taken.map(({ id }) => id);
  const part = { after: null, limit: ids.length };
  const retried = await retry(tx, deps, { layers: tx.scope.writes, ids, author: null, part });
  return retried.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
}

/** Imports that one transaction retries where all are meant: others wait for it. */
const SLICE = 500;

/** Retries every failed import that the caller may, slice by slice: a hundred thousand in one would take too long. */
async function retryAll(deps: Dependencies, scope: TeamScope): Promise<Import[]> {
  const imports: Import[] = [];
  for (let more = true; more; ) {
    // In the order of their ids, so that an import that fails again between two slices is not retried twice.
    const part = { after: imports.at(-1)?.id ?? null, limit: SLICE };
    const slice = await transaction(deps.database, scope, async (tx) => {
      const held = await lockTeamForWrite(tx);
      assertActive(held);
      const layers = await writableLayersNow(tx, held, scope.writes);
      const author = held.access === 'full' ? null : held.userId;
      return retry(tx, deps, { layers, ids: null, author, part });
    });
    imports.push(...slice);
    more = slice.length === SLICE;
  }
  return imports;
}

/**
 * Cancels a queued import, forgets one that failed or was cancelled.
 * @throws ServiceError `conflict` in any other state; as `lockImportsForDecision`
 */
async function remove(tx: TeamTransaction, id: string): Promise<void> {
  const [taken] = await lockImportsForDecision(tx, [id]);
  if (taken === undefined) throw new ServiceError('not_found');
  if (taken.state === 'running' || taken.state === 'completed') {
    throw new ServiceError('conflict', `The import is ${taken.state}`);
  }
  if (taken.state === 'queued') {
    await cancelImport(tx, id);
    recordDecisions(tx, 'memory.import_cancel', [taken]);
  } else {
    await deleteImport(tx, id);
    recordDecisions(tx, 'memory.import_forget', [taken]);
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
      const [retried] = await transaction(database, teamScope, (tx) => retryThese(tx, deps, [params.id]));
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
      const imports =
        ids === undefined
          ? await retryAll(deps, teamScope)
          : await transaction(database, teamScope, (tx) => retryThese(tx, deps, ids));
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
      await transaction(database, teamScope, (tx) => remove(tx, params.id));
      reply.code(204);
      return null;
    },
  );
};
