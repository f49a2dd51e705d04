import type { TeamTransaction } from '../../db/driver/database.ts';
import { findInReview, insertMemory } from '../../db/queries/memory/memories.ts';
import { ServiceError } from '../../shared/errors.ts';
import { parseTags } from '../../shared/formats/tags.ts';
import { dayOfMoment, type Moment } from '../../shared/formats/times.ts';
import { newId } from '../../shared/ids.ts';
import { runInSteps } from '../../shared/resources/yield-between-steps.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import { MAX_CONTENT } from '../../shared/schemas/library.ts';
import { clientOf, type LayerId, type TeamScope } from '../../shared/scope.ts';
import { type PreparedContent, prepareContent } from '../../shared/text/memory-content.ts';
import { assertActive, canWrite, lockTeamForWrite } from '../access/lock-and-recheck.ts';
import { type Applied, runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { cutMaskedInSteps } from '../redaction/cut-masked.ts';
import { redactFields } from '../redaction/redact-fields.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';
import { memoryEvent } from './events.ts';

/** A text that a caller submits for review. */
export interface SubmittedText {
  layerId: LayerId;
  title: string;
  content: string;
  /** As they were given: no credential is recognized in lower case. */
  tags: readonly string[];
  /** Null: unknown. */
  occurredAt: Moment | null;
  /** Null: never. */
  expiresAt: Date | null;
}

/**
 * Stores a text as a memory in review that comes from no capture. If the caller has submitted the text before and it still
 * waits, nothing changes.
 * @param signal of the request: the content is not cut after it is closed
 * @returns the id of the memory, and the credentials that were found, in `/title`, `/text` and `/tags`
 * @throws ServiceError `invalid_request` for a tag that is too long once it is normalized, `unauthenticated`, `team_forbidden`,
 *   `scope_forbidden`, `team_archived`, `secret_detected`, `quota_exceeded`
 */
export async function submitMemory(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: TeamScope,
  text: SubmittedText,
  signal: AbortSignal,
): Promise<{ id: string; redactions: Redaction[] }> {
  const { layerId, occurredAt } = text;
  const given = { title: text.title, text: text.content, tags: text.tags };
  const { fields, redactions, assertAllowed } = await redactFields(redactionMode(config, scope), given);
  const content = await runInSteps(cutMaskedInSteps(fields.text, MAX_CONTENT));
  const stored = { ...text, title: fields.title, content, tags: parseTags(fields.tags) };
  const id = await runCommand(database, scope, {
    quota: config,
    prepare: () =>
      prepareContent(scope.teamId, { ...stored, day: occurredAt && dayOfMoment(occurredAt) }, signal),
    lock: async (tx) => {
      const team = await lockTeamForWrite(tx);
      if (!(await canWrite(tx, team, [layerId]))) throw new ServiceError('scope_forbidden');
      assertActive(team);
      assertAllowed();
    },
    apply: (tx, _locked, prepared) => apply(tx, stored, prepared, config.embeddingModel),
  });
  return { id, redactions };
}

async function apply(
  tx: TeamTransaction,
  { layerId, title, content, tags, occurredAt, expiresAt }: SubmittedText,
  { terms }: PreparedContent,
  model: string,
): Promise<Applied<string>> {
  const waiting = await findInReview(tx, { layerId, content });
  if (waiting !== null) return { result: waiting, audit: [] };
  const id = newId();
  await insertMemory(tx, {
    id,
    layerId,
    state: 'review',
    title,
    content,
    terms,
    metadata: {},
    tags,
    captureIds: [],
    supersedes: null,
    occurredAt,
    expiresAt,
    embedding: null,
    model,
    sourceId: null,
  });
  const detail = { captureIds: [] };
  return {
    result: id,
    audit: [memoryEvent('memory.review', { id, clientId: clientOf(tx.scope, layerId), version: 1 }, detail)],
  };
}
