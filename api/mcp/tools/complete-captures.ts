import type { Static } from 'typebox';
import { runOnce } from '../../../core/access/run-once.ts';
import { completeBatch } from '../../../core/consolidation/complete-batch.ts';
import { type Redaction, Redactions } from '../../../shared/schemas/common.ts';
import {
  CompleteRequest,
  CompleteResponse,
  type ConsolidationResult,
} from '../../../shared/schemas/consolidation.ts';
import { countJsonCharacters } from '../../../shared/text/json-characters.ts';
import { ADDS_ONCE, MAX_ANSWER_CHARACTERS, teamTool } from '../tool.ts';
import { NOTE, NOTE_CHARACTERS, noteOf } from './note.ts';
import { listed } from './redactions.ts';
import { toShown } from './similar.ts';

type CompleteResponse = Static<typeof CompleteResponse>;

/** Completes a batch of captures with the memories that were made of them. */
export const completeCaptures = teamTool({
  name: 'complete_captures',
  title: 'Complete captures',
  description:
    'Stores the memories that you made of a batch of captures, all or none: each item is published, sent to review or ' +
    'discarded. Captures that no item names are staged again. The same call again returns the same results. A call has ' +
    'room for 1 MiB: if the contents of the items are longer, name fewer captures, and claim the others again.',
  permission: 'memory:curate',
  needs: 'write',
  // A published item can supersede a memory, which is then archived.
  annotations: { ...ADDS_ONCE, destructiveHint: true },
  input: CompleteRequest.properties,
  output: { results: CompleteResponse.properties.results, redactions: Redactions, ...NOTE },
  run: async ({ deps, scope, signal }, { batchId, items }) => {
    const command = await completeBatch(deps, scope, { batchId, items }, signal);
    const { body } = await runOnce(deps.database, scope, null, command);
    const { results, redactions = [] } = body as CompleteResponse;
    return fitted(results, listed(redactions));
  },
});

/** The results with as many similar memories as fit, those of the first items first. */
function fitted(given: readonly ConsolidationResult[], redactions: Redaction[]) {
  const results = given.map((result): ConsolidationResult => ({ ...result, similar: [] }));
  let room = MAX_ANSWER_CHARACTERS - NOTE_CHARACTERS - countJsonCharacters({ results, redactions });
  let omitted = 0;
  for (const [index, { similar }] of given.entries()) {
    for (const memory of similar) {
      const shown = toShown(memory);
      const length = countJsonCharacters(shown) + 1;
      if (length > room) omitted += 1;
      else {
        results[index]?.similar.push(shown);
        room -= length;
      }
    }
  }
  return {
    results,
    redactions,
    ...noteOf(
      omitted > 0 && `${omitted} similar memories did not fit: search for the titles of the last items.`,
    ),
  };
}
