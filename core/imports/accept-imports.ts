import { insertImport } from '../../db/queries/memory/imports.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Import } from '../../shared/schemas/imports.ts';
import type { LayerId } from '../../shared/scope.ts';
import { requireLayerWrite } from '../access/lock-and-recheck.ts';
import type { OnceCommand } from '../access/run-once.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueImports } from './enqueue-imports.ts';
import { assertFutureFiles, type CheckedFiles } from './parse-files.ts';

/**
 * Accepts files for import. Each import is inserted in one transaction with its job, so that every accepted file is run.
 * @throws ServiceError `invalid_request` for an expiry in the past, `unauthenticated`, `team_forbidden`, `scope_forbidden`,
 *   `team_archived`, `secret_detected`
 */
export function acceptImports(
  { queue }: Pick<Dependencies, 'queue'>,
  { fields: files, redactions, assertAllowed }: CheckedFiles,
  layerId: LayerId,
): OnceCommand<void, { imports: Import[]; redactions: Redaction[] }> {
  return {
    lock: async (tx) => {
      assertFutureFiles(files);
      await requireLayerWrite(tx, layerId);
    },
    apply: async (tx) => {
      assertAllowed();
      const imports: Import[] = [];
      for (const file of files) imports.push(await insertImport(tx, { ...file, layerId }));
      return {
        result: { imports, redactions },
        audit: imports.map(({ id, bytes, mediaType, clientId }) => ({
          kind: 'memory.import',
          subjectType: 'import',
          subjectId: id,
          clientId,
          detail: { bytes, mediaType },
        })),
        enqueue: () => enqueueImports(tx, queue, imports),
      };
    },
    answer: (body) => ({ status: 202, body }),
  };
}
