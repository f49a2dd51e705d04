import type { TeamTransaction } from '../../db/driver/database.ts';
import {
  insertCapture,
  lockCaptureSequence,
  lockOwnCapture,
  type NewCapture,
} from '../../db/queries/memory/consolidation/captures.ts';
import { ServiceError } from '../../shared/errors.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { Capture, CaptureResponse } from '../../shared/schemas/consolidation.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { requireLayerWrite } from '../access/lock-and-recheck.ts';
import type { Applied } from '../access/run-command.ts';
import type { OnceCommand } from '../access/run-once.ts';
import type { Dependencies } from '../dependencies.ts';
import { maskedId } from '../redaction/masked-id.ts';
import { type CheckedFields, redactFields } from '../redaction/redact-fields.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';

interface StagedCapture {
  capture: Capture;
  /** False if the session had a capture with this sequence already. */
  isNew: boolean;
}

type CheckedCapture = CheckedFields<Pick<NewCapture, 'sessionId' | 'summary' | 'metadata'>>;

/**
 * Stages a capture. If its author has already staged one with the same session and sequence, the answer is that one.
 * @throws ServiceError `unauthenticated`, `team_forbidden`, `scope_forbidden`, `team_archived`, `secret_detected`,
 *   `quota_exceeded`
 */
export function stageCapture(
  { config }: Pick<Dependencies, 'config'>,
  scope: TeamScope,
  given: NewCapture,
): OnceCommand<NewCapture, StagedCapture & { redactions: Redaction[] }, CheckedCapture> {
  const { reads } = scope;
  return {
    quota: config,
    prepare: () => {
      const { sessionId, summary, metadata } = given;
      return redactFields(redactionMode(config, scope), { sessionId, summary, metadata });
    },
    lock: async (tx, { fields }) => {
      const sessionId = maskedId(scope.teamId, given.sessionId, fields.sessionId);
      const draft = { ...given, ...fields, sessionId };
      await requireLayerWrite(tx, draft.layerId);
      if (draft.sequence !== null) await lockCaptureSequence(tx, draft);
      return draft;
    },
    apply: async (tx, draft, { redactions, assertAllowed }) => {
      assertAllowed();
      const { result, audit } = await apply(tx, draft);
      return { result: { ...result, redactions }, audit };
    },
    answer: ({ capture, isNew, redactions }) => ({
      status: isNew ? 201 : 200,
      body: { capture, redactions },
    }),
    recheckAnswer: (body) => {
      // The first capture can be in a layer that this request did not name, and that the caller can no longer read.
      const { clientId } = (body as CaptureResponse).capture;
      if (clientId !== null && !reads.includes(clientId)) throw new ServiceError('scope_forbidden');
      return body;
    },
  };
}

async function apply(tx: TeamTransaction, draft: NewCapture): Promise<Applied<StagedCapture>> {
  const { sessionId, sequence } = draft;
  const first = sequence === null ? null : await lockOwnCapture(tx, { sessionId, sequence });
  if (first !== null) return { result: { capture: first, isNew: false }, audit: [] };
  const capture = await insertCapture(tx, draft);
  const detail = sequence === null ? {} : { sequence };
  return {
    result: { capture, isNew: true },
    audit: [
      {
        kind: 'memory.capture',
        subjectType: 'capture',
        subjectId: capture.id,
        clientId: capture.clientId,
        detail,
      },
    ],
  };
}
