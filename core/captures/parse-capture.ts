import type { NewCapture } from '../../db/queries/memory/consolidation/captures.ts';
import { invalidField } from '../../shared/errors.ts';
import { parseOptionalMoment, parseTime } from '../../shared/formats/times.ts';
import { newId } from '../../shared/ids.ts';
import type { CaptureRequest } from '../../shared/schemas/consolidation.ts';
import { assertMetadata } from '../sources/metadata.ts';

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
