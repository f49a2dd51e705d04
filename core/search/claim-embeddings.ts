import { claimPendingChunks, type EmbeddingBatch } from '../../db/queries/memory/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/** The default lease of a consolidation batch. */
const LEASE_SECONDS = 900;

/**
 * Claims chunks without an embedding for a client that makes embeddings. A lease leaves no audit event; the
 * embeddings that are sent do. The claims of the transaction decide which chunks it finds, so nothing is rechecked.
 * @param limit how many chunks at most
 * @returns null if no chunk that the caller can write waits for an embedding
 */
export function claimEmbeddings(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  limit: number,
): Promise<EmbeddingBatch | null> {
  return runCommand(database, scope, {
    lock: async () => undefined,
    apply: async (tx) => ({
      result: await claimPendingChunks(tx, { id: newId(), limit, leaseSeconds: LEASE_SECONDS }),
      audit: [],
    }),
  });
}
