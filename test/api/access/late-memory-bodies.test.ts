import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { stageCapture } from '../../support/captures.ts';
import { lend } from '../../support/consolidation.ts';
import { addMemory } from '../../support/memories.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { listenForLateBodies, type Wish } from './late-body.ts';
import { memoryRows, type Scene, type Taken, take } from './late-rights.ts';

/**
 * What writes to memory whose head comes while its caller has a right, and whose body comes when that is gone: let
 * in by the first look, it is refused by the second.
 */
const service = await openTestApp();
const sendLate = await listenForLateBodies(service);

/** Prepares what a request needs, and returns its path and body. */
type Prepare = (scene: Scene) => Promise<{ path: string; body: object }>;

const WRITES: Record<'captures' | 'claim' | 'complete' | 'decision', Prepare> = {
  captures: async ({ clientId }) => ({
    path: 'captures',
    body: { sessionId: 'late', summary: 'What came late.', scope: { clientId } },
  }),
  claim: async ({ person, clientId }) => {
    await stageCapture(service, person, { scope: { clientId } });
    return { path: 'consolidation/claim', body: { clientId } };
  },
  complete: async ({ person, clientId }) => {
    const { batchId, captureIds } = await lend(service, person, [clientId]);
    const item = { captureIds, action: 'publish', title: 'Late', content: 'What came late.' };
    return { path: 'consolidation/complete', body: { batchId, items: [item] } };
  },
  decision: async ({ company, clientId }) => {
    const { id: memoryId } = await addMemory(service, company, 'published', {}, clientId);
    return { path: 'memories', body: { action: 'delete', memoryId } };
  },
};

const REFUSALS: Partial<Record<Taken, string>> = {
  'the Team was archived': '409 team_archived',
  'the client was archived': '403 scope_forbidden',
  'the grant was lowered': '403 scope_forbidden',
  'the member was removed from the Team': '403 team_forbidden',
  'the account was closed': '401 unauthenticated',
};
const OF_DECISIONS: Partial<Record<Taken, string>> = {
  'the Team was archived': '409 team_archived',
  'the client was archived': '404 not_found',
  'the role was lowered': '403 full_access_required',
  'the member was removed from the Team': '403 team_forbidden',
  'the account was closed': '401 unauthenticated',
};

async function prepare(route: keyof typeof WRITES): Promise<{ scene: Scene; wish: Wish }> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const clients = { [clientId]: 'write' } as const;
  const ties =
    route === 'decision' ? ({ teamRole: 'admin' } as const) : ({ teamRole: 'member', clients } as const);
  const scene = { company, clientId, person: await addPerson(service, company, ties) };
  const { path, body } = await WRITES[route](scene);
  return { scene, wish: { caller: scene.person, method: 'POST', url: `/v1/memory/${path}`, body } };
}

// Concurrent, because each test waits for more than a second before it ends its body.
for (const route of ['captures', 'claim', 'complete', 'decision'] as const) {
  describe(`a request whose body arrives late (${route})`, { concurrency: true }, () => {
    const refusals = route === 'decision' ? OF_DECISIONS : REFUSALS;
    for (const [what, refusal] of Object.entries(refusals) as [Taken, string][]) {
      test(`${route} fails and changes nothing if ${what} before the body arrived`, async () => {
        const { scene, wish } = await prepare(route);
        const before = await memoryRows(service, scene.company);
        const answer = await sendLate(wish, () => take(service, what, scene));
        assert.equal(outcome(answer), refusal);
        assert.deepEqual(await memoryRows(service, scene.company), before);
      });
    }

    test(`${route} succeeds if the caller still has access when the body arrives`, async () => {
      const { scene, wish } = await prepare(route);
      const before = await memoryRows(service, scene.company);
      const answer = await sendLate(wish, async () => {});
      assert.ok(answer.statusCode < 300, answer.body);
      assert.notDeepEqual(await memoryRows(service, scene.company), before);
    });
  });
}
