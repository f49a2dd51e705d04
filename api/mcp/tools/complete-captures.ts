import { type Static, Type } from 'typebox';
import { runOnce } from '../../../core/access/run-once.ts';
import { completeBatch } from '../../../core/consolidation/complete-batch.ts';
import { ITEM_ACTIONS } from '../../../shared/memory-states.ts';
import { Body, Nullable, OneOf, type Redaction, Redactions, Text } from '../../../shared/schemas/common.ts';
import {
  CompleteRequest,
  CompleteResponse,
  ConsolidatedItem,
  type ConsolidationResult,
  MAX_ITEMS,
} from '../../../shared/schemas/consolidation.ts';
import { countJsonTokens } from '../tokens.ts';
import { ADDS_ONCE, MAX_ANSWER_TOKENS, teamTool } from '../tool.ts';
import { NOTE, NOTE_TOKENS, noteOf } from './note.ts';
import { listed } from './redactions.ts';
import { toShown } from './similar.ts';

type CompleteResponse = Static<typeof CompleteResponse>;

const { batchId } = CompleteRequest.properties;
const { captureIds, title, content, metadata, tags, embeddingModel, embeddingDim } =
  ConsolidatedItem.properties;
/** An item of the route, with what an agent has to know to send it. */
const Item = Body({
  ...ConsolidatedItem.properties,
  captureIds: { ...captureIds, description: 'ids of the captures of the batch that this item is made of' },
  action: OneOf(
    [...ITEM_ACTIONS],
    'publish: searches find the memory at once or, if the Team reviews what its members publish, after a decision; ' +
      'review: it waits for a decision; discard: nothing is made of the captures',
  ),
  title: Type.Optional({ ...title, description: 'of the memory; required unless action is discard' }),
  content: Type.Optional({
    ...content,
    description:
      'text of the memory, complete enough to be understood alone; required unless action is discard',
  }),
  scope: Type.Optional(
    Body(
      { clientId: Type.Optional(Type.String({ description: 'id of a client; without it, the whole Team' })) },
      'where the memory belongs. Without it, where its captures belong',
    ),
  ),
  metadata: Type.Optional({ ...metadata, description: 'any fields, at most 16 KiB as JSON' }),
  tags: Type.Optional({ ...tags, description: 'words by which `search` can filter; case is ignored' }),
  embeddingModel: Type.Optional({ ...embeddingModel, description: 'the model that made `embedding`' }),
  embeddingDim: Type.Optional({ ...embeddingDim, description: 'the number of dimensions of `embedding`' }),
  occurredAt: Type.Optional(
    Nullable(
      Text(40),
      'when what the memory tells of happened: a day, such as 2026-03-01, or a time, such as 2026-03-01T09:30:00Z; without it, ' +
        'or with null, it is unknown',
    ),
  ),
  expiresAt: Type.Optional(
    Nullable(
      Text(40),
      'from then on searches do not find the memory: a day, such as 2027-03-01 (to its end in UTC), or a time, such as ' +
        '2027-03-01T09:30:00Z; without it, or with null, it does not expire',
    ),
  ),
});

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
  input: {
    batchId: { ...batchId, description: '`batch.id` of claim_captures' },
    items: Type.Array(Item, {
      maxItems: MAX_ITEMS,
      description: 'captures of the batch that no item names become staged again',
    }),
  },
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
  let room = MAX_ANSWER_TOKENS - NOTE_TOKENS - countJsonTokens({ results, redactions });
  let omitted = 0;
  for (const [index, { similar }] of given.entries()) {
    for (const memory of similar) {
      const shown = toShown(memory);
      const length = countJsonTokens(shown) + 1;
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
