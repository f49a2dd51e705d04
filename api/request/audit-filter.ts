import type { AuditFilter } from '../../db/queries/identity/audit.ts';
import type { Seal } from '../../db/queries/identity/audit-chain.ts';
import { invalidField } from '../../shared/errors.ts';
import { SEAL_PATTERN } from '../../shared/schemas/audit.ts';
import { parseIdFilter } from './list-filter.ts';

/** Parses the filter of a list of audit events. */
export function parseAuditFilter(query: { kind?: string; subjectId?: string; teamId?: string }): AuditFilter {
  return {
    kind: query.kind ?? null,
    subjectId: parseIdFilter(query.subjectId),
    teamId: parseIdFilter(query.teamId),
  };
}

/**
 * Parses a seal that was noted before; null if it is absent.
 * @throws ServiceError `invalid_request`
 */
export function parseSeal(text: string | undefined): Seal | null {
  if (text === undefined) return null;
  if (!SEAL_PATTERN.test(text)) {
    throw invalidField('/seal', 'must be a number, a colon and 64 hexadecimal digits in small letters');
  }
  const [sequence = '', hash = ''] = text.split(':');
  return { sequence: Number(sequence), hash };
}
