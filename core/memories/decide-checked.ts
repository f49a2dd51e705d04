import type { Redaction } from '../../shared/schemas/common.ts';
import type { Decision, Memory } from '../../shared/schemas/library.ts';
import type { TeamScope } from '../../shared/scope.ts';
import { redactFields } from '../redaction/redact-fields.ts';
import { redactionMode } from '../redaction/redaction-mode.ts';
import { type DecideDependencies, decide } from './decide.ts';

/** A memory after a decision, and the credentials that were found in the texts of the decision. */
export interface Decided {
  memory: Memory;
  redactions: Redaction[];
}

/**
 * Checks the texts of a decision for credentials, and decides.
 * @param path JSON pointer of the decision in the request
 * @throws ServiceError as `decide`; `secret_detected`
 */
export async function decideChecked(
  deps: DecideDependencies,
  scope: TeamScope,
  decision: Decision,
  signal: AbortSignal,
  path = '',
): Promise<Decided> {
  const given: Partial<Decision> = {};
  for (const name of ['title', 'content', 'tags'] as const) {
    if (decision[name] !== undefined) Object.assign(given, { [name]: decision[name] });
  }
  const checked = await redactFields(redactionMode(deps.config, scope), given, path);
  const memory = await decide(deps, scope, { ...decision, ...checked.fields }, signal, checked.assertAllowed);
  return { memory, redactions: checked.redactions };
}
