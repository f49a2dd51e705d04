import { requireLayerWrite } from '../../../core/access/lock-and-recheck.ts';
import type { Answer } from '../../../core/access/run-once.ts';
import { assertMetadata } from '../../../core/sources/metadata.ts';
import type { TeamTransaction } from '../../../db/driver/database.ts';
import { insertAuditEvents } from '../../../db/queries/identity/audit.ts';
import {
  findOwnCapture,
  insertCapture,
  lockCaptureSequence,
  type NewCapture,
} from '../../../db/queries/memory/captures.ts';
import { invalidField, ServiceError } from '../../../shared/errors.ts';
import { readTime } from '../../../shared/formats/times.ts';
import { newId } from '../../../shared/ids.ts';
import { CaptureRequest, CaptureResponse } from '../../../shared/schemas/consolidation.ts';
import { type TeamScope, writeLayer } from '../../../shared/scope.ts';
import { assertTeamActive } from '../../plugins/guards.ts';
import { answerOnce, readIdempotencyKey } from '../../plugins/idempotency.ts';
import type { Routes } from '../../types.ts';

function newCapture(body: CaptureRequest): Omit<NewCapture, 'layer'> {
  assertMetadata(body.metadata);
  const startedAt = readTime(body.startedAt, '/startedAt');
  const endedAt = readTime(body.endedAt, '/endedAt');
  if (startedAt !== null && endedAt !== null && endedAt < startedAt) {
    throw invalidField('/endedAt', 'lies before startedAt');
  }
  return {
    id: newId(),
    sessionId: body.sessionId,
    sequence: body.sequence ?? null,
    summary: body.summary,
    startedAt,
    endedAt,
    metadata: body.metadata ?? {},
  };
}

/** Stages a capture, or answers with the first one of its session and sequence. */
async function stage(tx: TeamTransaction, draft: NewCapture): Promise<Answer> {
  await requireLayerWrite(tx, draft.layer);
  const { sessionId, sequence } = draft;
  if (sequence !== null) {
    await lockCaptureSequence(tx, draft);
    const first = await findOwnCapture(tx, { sessionId, sequence });
    if (first !== null) return { status: 200, body: { capture: first } };
  }
  const capture = await insertCapture(tx, draft);
  insertAuditEvents(tx, [
    {
      kind: 'memory.capture',
      subjectType: 'capture',
      subjectId: capture.id,
      layer: draft.layer,
      detail: sequence === null ? {} : { sequence },
    },
  ]);
  return { status: 201, body: { capture } };
}

/** Refuses a first capture that lay in another layer than was named, where the caller reaches that no more. */
function assertReached({ reads }: TeamScope, { capture }: CaptureResponse): void {
  if (capture.clientId !== null && !reads.clients.includes(capture.clientId)) {
    throw new ServiceError('scope_forbidden');
  }
}

/** POST /v1/memory/captures: stages a summarised block of a session, which no search ever finds. */
export const captureRoute: Routes = (app, { database }) => {
  app.post(
    '/v1/memory/captures',
    {
      schema: {
        summary: 'Stage a summarised block of a session',
        tags: ['memory'],
        body: CaptureRequest,
        response: { 200: CaptureResponse, 201: CaptureResponse },
      },
      preValidation: readIdempotencyKey,
    },
    async (request, reply) => {
      const draft = newCapture(request.body);
      const layer = writeLayer(request.teamScope, request.body.scope);
      assertTeamActive(request);
      return answerOnce(request, reply, database, {
        prepare: async () => ({ ...draft, layer }),
        lock: async () => undefined,
        apply: async (tx, _, prepared) => ({ result: await stage(tx, prepared), audit: [] }),
        answer: (result) => result,
        checkKept: (body) => assertReached(request.teamScope, body as CaptureResponse),
      });
    },
  );
};
