import { parseTags } from '../../shared/formats/tags.ts';
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
 * Checks the texts of a decision for credentials, and decides. A stored text that is published or restored is checked
 * too, because it can be from a time when the check was less strict.
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
  // By what was given: a mask can be longer than its credential.
  if (decision.tags !== undefined) parseTags(decision.tags);
  const given: Partial<Decision> = {};
  for (const name of ['title', 'content', 'tags'] as const) {
    if (decision[name] !== undefined) Object.assign(given, { [name]: decision[name] });
  }
  const mode = redactionMode(deps.config, scope);
  const checked = await redactFields(mode, given, path);
  const { redactions } = checked;
  let assertStoredAllowed = () => undefined as void;
  const memory = await decide(deps, scope, { ...decision, ...checked.fields }, signal, {
    checkStored: async (text, { action, title, content }) => {
      // An update stores only what it names.
      if (action === 'update') return text;
      const stored = await redactFields(
        mode,
        {
          ...(title === undefined && { title: text.title }),
          ...(content === undefined && { content: text.content }),
        },
        path,
      );
      redactions.push(...stored.redactions);
      assertStoredAllowed = stored.assertAllowed;
      return { ...text, ...stored.fields };
    },
    assertAllowed: () => {
      checked.assertAllowed();
      assertStoredAllowed();
    },
  });
  return { memory, redactions };
}
