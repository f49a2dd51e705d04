import {
  type FoundHit,
  findOwnHit,
  type NewFeedback,
  upsertFeedback,
} from '../../db/queries/feedback/feedback.ts';
import { ServiceError } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { FeedbackRequest, GivenFeedback } from '../../shared/schemas/feedback.ts';
import { clientOf, type TeamScope } from '../../shared/scope.ts';
import { assertActive, canRead, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { parseId } from '../access/parse-id.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { redactFields } from '../redaction/redact-fields.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';

/**
 * Stores what a caller says of a hit of a search of theirs. A second verdict on the same hit replaces the first.
 * @throws ServiceError `not_found` for the search of another caller, or a chunk that was not among its hits or that the
 *   caller can no longer read; `unauthenticated`, `team_forbidden`, `team_archived`, `secret_detected`
 */
export async function giveFeedback(
  { config, database }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  { queryId, chunkId, verdict, ...texts }: FeedbackRequest,
): Promise<GivenFeedback> {
  const { fields, redactions, assertAllowed } = await redactFields(redactionMode(config, scope), texts);
  const given = {
    id: newId(),
    queryId: parseId(queryId),
    chunkId: parseId(chunkId),
    verdict,
    note: fields.note ?? null,
  };
  return runCommand(database, scope, {
    lock: async (tx): Promise<FoundHit> => {
      const team = await lockTeamForWrite(tx);
      const hit = await findOwnHit(tx, given.queryId, given.chunkId);
      // The caller can have lost access to the client since the search.
      if (hit === null || !(await canRead(tx, team, hit.layerId))) throw new ServiceError('not_found');
      assertActive(team);
      assertAllowed();
      return hit;
    },
    apply: async (tx, { sourceId, layerId, memoryId }) => {
      const feedback: NewFeedback = { ...given, sourceId };
      const { feedback: stored, changed } = await upsertFeedback(tx, feedback);
      const result = { ...stored, memoryId, redactions };
      if (!changed) return { result, audit: [] };
      const event = {
        kind: 'memory.feedback',
        clientId: clientOf(tx.scope, layerId),
        detail: { queryId: given.queryId, chunkId: given.chunkId, verdict },
      } as const;
      return {
        result,
        audit: [
          memoryId === null
            ? { ...event, subjectType: 'source', subjectId: sourceId }
            : { ...event, subjectType: 'memory', subjectId: memoryId },
        ],
      };
    },
  });
}
