import { claimPendingChunks, type EmbeddingBatch } from '../../db/queries/memory/embeddings.ts';
import { newId } from '../../shared/ids.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { assertActive, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long a batch of chunks is leased. */
const LEASE_SECONDS = 900;

/**
 * Claims chunks without an embedding for a program that makes embeddings. Claiming leaves no audit event; completing does.
 * @param limit how many chunks at most
 * @returns null if no chunk that the caller can write waits for an embedding
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `team_archived`
 */
export function claimEmbeddings(
  { database }: Pick<Dependencies, 'database'>,
  scope: TeamScope,
  limit: number,
): Promise<EmbeddingBatch | null> {
  return runCommand(database, scope, {
    lock: async (tx) => assertActive(await lockTeamForWrite(tx)),
    apply: async (tx) => ({
      result: await claimPendingChunks(tx, { id: newId(), limit, leaseSeconds: LEASE_SECONDS }),
      audit: [],
    }),
  });
}
