import { assertActive, lockTeamForWrite, mayWrite } from '../../../core/access/lock-and-recheck.ts';
import type { Answer } from '../../../core/access/run-once.ts';
import { type Pushed, readPushedFiles } from '../../../core/workspace/parse-pushed-files.ts';
import { findConflicts } from '../../../core/workspace/push-conflicts.ts';
import type { TeamTransaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import {
  allocateRevision,
  findCurrentVersions,
  insertVersions,
  type NewVersion,
} from '../../../db/queries/workspace/files.ts';
import { DOCUMENT_BODY_LIMIT } from '../../../shared/body-limits.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { newId } from '../../../shared/ids.ts';
import { PushConflict, PushRequest, PushResponse } from '../../../shared/schemas/workspace.ts';
import { type LayerId, type TeamScope, writeLayer } from '../../../shared/scope.ts';
import { assertTeamActive, withWriteAccess } from '../../plugins/guards.ts';
import { answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import type { Routes } from '../../types.ts';

/**
 * The layers that a push writes to.
 * @throws ServiceError `scope_forbidden` where the caller may not write to one
 */
function layersOf(scope: TeamScope, pushed: readonly Pushed[]): LayerId[] {
  const clients = new Set(pushed.map(({ clientId }) => clientId));
  return [...clients].map((clientId) => writeLayer(scope, clientId === null ? {} : { clientId }));
}

/** One event for each file: who wants to know what became of a file asks by its id. */
function recordVersions(tx: TeamTransaction, versions: readonly NewVersion[]): void {
  insertAuditEvents(
    tx,
    versions.map(({ sha256, fileId, clientId, path, version, bytes }) => ({
      kind: sha256 === null ? 'workspace.delete' : 'workspace.write',
      subjectType: 'file',
      subjectId: fileId,
      layer: clientId,
      detail: { path, version, ...(sha256 === null ? {} : { bytes }) },
    })),
  );
}

/** Writes all files of a push, or none. Their contents are kept already. */
async function write(
  tx: TeamTransaction,
  layers: readonly LayerId[],
  pushed: readonly Pushed[],
): Promise<Answer> {
  const held = await lockTeamForWrite(tx);
  if (!(await mayWrite(tx, held, layers))) throw new ServiceError('scope_forbidden');
  assertActive(held);
  const revision = await allocateRevision(tx);
  const current = await findCurrentVersions(tx, pushed);
  const conflicts = await findConflicts(tx, pushed, current);
  if (conflicts.length > 0) {
    throw new ServiceError('workspace_conflict', `${conflicts.length} of ${pushed.length} files conflict`, {
      extra: { conflicts },
    });
  }
  const versions = pushed.map(({ blob, ...place }): NewVersion => {
    const before = current.get(place.path);
    return {
      ...place,
      id: newId(),
      before: before?.id ?? null,
      fileId: before?.fileId ?? newId(),
      version: (before?.version ?? 0) + 1,
      sha256: blob?.sha256 ?? null,
      bytes: blob?.content.length ?? 0,
    };
  });
  await insertVersions(tx, revision, versions);
  recordVersions(tx, versions);
  return {
    status: 200,
    body: { revision, files: versions.map(({ path, version }) => ({ path, version })) },
  };
}

/** POST /v1/workspace/push: writes and deletes files, all or none. */
export const pushRoute: Routes = (app, { database, blobs }) => {
  app.post(
    '/v1/workspace/push',
    {
      onRequest: withWriteAccess,
      bodyLimit: DOCUMENT_BODY_LIMIT,
      schema: {
        summary: 'Write and delete files, all or none; what has changed since its base is a conflict',
        tags: ['workspace'],
        body: PushRequest,
        response: {
          200: PushResponse,
          409: {
            description: 'Nothing was written',
            content: { 'application/problem+json': { schema: PushConflict } },
          },
        },
      },
      preValidation: readIdempotencyKey,
    },
    async (request, reply) => {
      const { teamScope } = request;
      const pushed = await readPushedFiles(request.body.files);
      const layers = layersOf(teamScope, pushed);
      assertTeamActive(request);
      return answerOnce(request, reply, database, {
        prepare: () =>
          blobs.keep(
            teamScope,
            pushed.flatMap(({ blob }) => blob ?? []),
          ),
        lock: async () => undefined,
        apply: async (tx) => ({ result: await write(tx, layers, pushed), audit: [] }),
        answer: (result) => result,
      });
    },
  );
};
