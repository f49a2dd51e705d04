import type { Config } from '../../shared/config.ts';
import type { Redaction } from '../../shared/schemas/common.ts';
import type { SearchRequest } from '../../shared/schemas/memory.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { redactFields } from './redact-fields.ts';
import { redactionMode } from './redaction-mode.ts';

/** The text of a query that is stored with its audit event, or null, and what the answer tells about it. */
interface CheckedQuery {
  query: string | null;
  answer: { redactions?: Redaction[] };
}

/**
 * Checks the query of a search for credentials if its text is to be stored. The audit never contains one, so it is
 * masked there in the mode `flag` too.
 * @throws ServiceError `secret_detected`
 */
export async function redactQuery(
  config: Pick<Config, 'redaction'>,
  scope: TeamScope,
  { query, storeQueryText }: Pick<SearchRequest, 'query' | 'storeQueryText'>,
): Promise<CheckedQuery> {
  if (storeQueryText !== true) return { query: null, answer: {} };
  const mode = redactionMode(config, scope);
  const { fields, redactions, assertAllowed } = await redactFields(mode === 'flag' ? 'redact' : mode, {
    query,
  });
  assertAllowed();
  return { query: fields.query, answer: { redactions } };
}
