import type { TeamTransaction } from '../../db/driver/database.ts';
import {
  insertCapture,
  lockCaptureSequence,
  lockOwnCapture,
  type NewCapture,
} from '../../db/queries/captures.ts';
import { invalidField, ServiceError } from '../../shared/errors.ts';
import { parseOptionalMoment, parseTime } from '../../shared/formats/times.ts';
import { newId } from '../../shared/ids.ts';
import type { Capture, CaptureRequest, CaptureResponse } from '../../shared/schemas/captures.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { requireLayerWrite } from '../access/lock-and-recheck.ts';
import type { Applied, OnceCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';
import { type CheckedFields, maskedId, redactFields, redactionMode } from '../redaction/redact.ts';
import { assertMetadata } from '../sources/metadata.ts';

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

/**
 * Parses the body of a capture, except its scope.
 * @throws ServiceError `invalid_request`
 */
export function parseCapture(body: CaptureRequest): Omit<NewCapture, 'layerId'> {
  assertMetadata(body.metadata);
  const startedAt = parseTime(body.startedAt, '/startedAt');
  const endedAt = parseTime(body.endedAt, '/endedAt');
  if (startedAt !== null && endedAt !== null && endedAt < startedAt) {
    throw invalidField('/endedAt', 'must not be before startedAt');
  }
  return {
    id: newId(),
    sessionId: body.sessionId,
    sequence: body.sequence ?? null,
    summary: body.summary,
    startedAt,
    endedAt,
    occurredAt: parseOptionalMoment(body.occurredAt, '/occurredAt') ?? null,
    metadata: body.metadata ?? {},
  };
}
