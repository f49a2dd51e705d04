import type { Config } from '../../shared/config.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { redactFields } from './redact-fields.ts';
import { redactionMode } from './redaction-mode.ts';

/** What the audit event of a search stores of its query, and what the answer tells about it. */
interface CheckedQuery {
  event: { query?: string };
  answer: { redactions?: Redaction[] };
}

/**
 * Checks the query of a search for credentials if its text is to be stored. An audit event never contains one, so it is
 * masked there in the mode `flag` too.
 * @throws ServiceError `secret_detected`
 */
export async function redactQuery(
  config: Pick<Config, 'redaction'>,
  scope: TeamScope,
  { query, storeQueryText }: Pick<SearchRequest, 'query' | 'storeQueryText'>,
): Promise<CheckedQuery> {
  if (storeQueryText !== true) return { event: {}, answer: {} };
  const mode = redactionMode(config, scope);
  const { fields, redactions, assertAllowed } = await redactFields(mode === 'flag' ? 'redact' : mode, {
    query,
  });
  assertAllowed();
  return { event: fields, answer: { redactions } };
}
