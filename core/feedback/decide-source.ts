import type { TeamTransaction } from '../../db/driver/database.ts';
import { settleFeedback } from '../../db/queries/feedback/feedback.ts';
import { countQuestions, findSourceItem } from '../../db/queries/feedback/questioned-sources.ts';
import { archiveSource } from '../../db/queries/library/archive.ts';
import { lockSource } from '../../db/queries/memory/source-library.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { MemoryAction } from '../../shared/memory-states.ts';
import type { Memory } from '../../shared/schemas/library.ts';
import type { Source } from '../../shared/schemas/memory.ts';
import { layerOf, requireRight, type TeamScope } from '../../shared/scope.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueIndexing } from '../sources/enqueue-indexing.ts';

type Needed = Pick<Dependencies, 'config' | 'database' | 'queue'>;

/** A decision on a source that feedback put into review. */
export interface SourceDecision {
  sourceId: string;
  action: MemoryAction;
  /** An item for review that is a source has only the version 1. */
  version: number | undefined;
}

interface LockedItem {
  source: Source;
  item: Memory;
  /** How much feedback waits for a decision. */
  open: number;
}

/**
 * Decides on a source with feedback that waits for a decision: `keep` settles the feedback, `delete` also archives the
 * source.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `full_access_required`; `not_found` for a source that was never
 *   in review; `team_archived`; `version_conflict`; `conflict` for another action, without open feedback, or to delete a
 *   workspace file
 */
export function decideSource(deps: Needed, scope: TeamScope, decision: SourceDecision): Promise<Memory> {
  return runCommand(deps.database, scope, {
    lock: (tx) => lockItem(tx, decision.sourceId),
    apply: (tx, locked) => apply(tx, deps, locked, decision),
  });
}

async function lockItem(tx: TeamTransaction, sourceId: string): Promise<LockedItem> {
  const team = await lockTeamForWrite(tx);
  requireRight(team, 'decideMemories');
  const source = (await lockSource(tx, sourceId))?.source;
  if (
    source === undefined ||
    source.kind === 'memory' ||
    !(await canWrite(tx, team, [layerOf(tx.scope, source.clientId)]))
  ) {
    throw new ServiceError('not_found');
  }
  const { all, open } = await countQuestions(tx, sourceId);
  const item = all === 0 ? null : await findSourceItem(tx, sourceId);
  if (item === null) throw new ServiceError('not_found');
  assertActive(team);
  return { source, item, open };
}

async function apply(
  tx: TeamTransaction,
  { queue, config }: Needed,
  { source, item, open }: LockedItem,
  { action, version }: SourceDecision,
): Promise<Applied<Memory>> {
  const { id, kind, clientId, chunks } = source;
  if (version !== undefined && version !== item.version) {
    throw new ServiceError('version_conflict', `The source has the version ${item.version}`);
  }
  if (action !== 'keep' && action !== 'delete') {
    throw new ServiceError('conflict', 'A source can only be kept or deleted');
  }
  if (item.state === 'archived') throw new ServiceError('conflict', 'The source is archived');
  if (open === 0) throw new ServiceError('conflict', 'No feedback on the source waits for a decision');
  const subject = { subjectType: 'source', subjectId: id, clientId } as const;
  if (action === 'keep') {
    const settled = await settleFeedback(tx, id);
    return { result: item, audit: [{ kind: 'memory.keep', ...subject, detail: { settled } }] };
  }
  if (kind === 'file') {
    throw new ServiceError('conflict', 'The source belongs to a workspace file; delete the file instead');
  }
  await archiveSource(tx, id, config);
  return {
    result: { ...item, state: 'archived' },
    audit: [{ kind: 'memory.archive', ...subject, detail: { chunks } }],
    enqueue: () => enqueueIndexing(tx, queue, config, []),
  };
}
