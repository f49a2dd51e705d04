import type { Hit } from '../../../shared/schemas/search.ts';
import { type Body } from '../../support/client/client.ts';
import { type Caller } from '../../support/team.ts';

/** Searches by keywords in all layers. */
export async function searchDated(caller: Caller, body: Body<'searchMemory'>): Promise<Hit[]> {
  return (
    await caller.api.searchMemory({
      embeddingMode: 'keyword',
      scope: { include: ['team', 'client'] },
      topK: 50,
      ...body,
    })
  ).hits;
}
