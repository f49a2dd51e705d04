import type { Redaction } from '../../../shared/schemas/common.ts';

/** The most that the answer of a tool lists, so that it stays short. */
const MAX_LISTED = 20;

/** The first credentials that were found. All are treated alike. */
export function listed(redactions: readonly Redaction[]): Redaction[] {
  return redactions.slice(0, MAX_LISTED);
}
