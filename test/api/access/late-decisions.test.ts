import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { sendCapture, sendClaim, stageCapture } from '../../support/captures.ts';
import { claimAll, complete, type GivenItem } from '../../support/consolidation.ts';
import type { HeldApp } from '../../support/held-app.ts';
import { addMemory, decide } from '../../support/memories.ts';
import { openPausedApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, removeSource } from '../../support/source-library.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { type Scene, sendTooLate, type Taken } from './late-rights.ts';

/**
 * What takes Full access, held between the look at the caller and the transaction that writes, while that or what
 * it is about is taken.
 */
const service = await openTestApp();

/** A Team Admin, who holds nothing but that. */
async function scene(): Promise<Scene> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  return { company, clientId, person: await addPerson(service, company, { teamRole: 'admin' }) };
}

const DECISIONS = {
  publish: { state: 'review', edit: { title: 'Late', content: 'What came late.' } },
  discard: { state: 'review', edit: {} },
  update: { state: 'published', edit: { content: 'What came late.' } },
  delete: { state: 'published', edit: {} },
} as const;

const REFUSALS: Partial<Record<Taken, string>> = {
  'the Team was archived': '409 team_archived',
  'the client was archived': '404 not_found',
  'the role was lowered': '403 full_access_required',
  'the member was removed from the Team': '403 team_forbidden',
  'the account was closed': '401 unauthenticated',
};

async function prepareDecision({ company, clientId }: Scene, action: keyof typeof DECISIONS) {
  const { state, edit } = DECISIONS[action];
  const { id: memoryId } = await addMemory(service, company, state, {}, clientId);
  return { action, memoryId, ...edit };
}

describe('a decision on a memory whose caller loses access during the request', () => {
  for (const [what, refusal] of Object.entries(REFUSALS) as [Taken, string][]) {
    for (const action of ['publish', 'discard', 'update', 'delete'] as const) {
      test(`${action} fails and leaves the memory unchanged if ${what} before it finished`, async (t) => {
        const here = await scene();
        const decision = await prepareDecision(here, action);
        const held = await openPausedApp(t, service, 3);
        const answer = await sendTooLate(service, held, { what, scene: here }, (app) =>
          decide(app, here.person, decision),
        );
        assert.equal(outcome(answer), refusal);
      });
    }

    test(`publish fails if ${what} before the memory was looked up`, async (t) => {
      const here = await scene();
      const decision = await prepareDecision(here, 'publish');
      const held = await openPausedApp(t, service);
      const answer = await sendTooLate(service, held, { what, scene: here }, (app) =>
        decide(app, here.person, decision),
      );
      assert.equal(outcome(answer), refusal);
    });

    test(`every decision in a list fails if ${what} before the first one ran`, async (t) => {
      const here = await scene();
      const decisions = [await prepareDecision(here, 'publish'), await prepareDecision(here, 'delete')];
      const held = await openPausedApp(t, service);
      const answer = await sendTooLate(service, held, { what, scene: here }, (app) =>
        decide(app, here.person, { decisions }),
      );
      const { results } = answer.json<{ results: { problem: { status: number; code: string } }[] }>();
      assert.deepEqual(
        results.map(({ problem }) => `${problem.status} ${problem.code}`),
        [refusal, refusal],
      );
    });
  }
});

/** A batch of the Admin's with a capture of the Owner's in the Team layer and one in the client. */
async function mixedBatch({ company, clientId, person }: Scene) {
  const inTeam = await stageCapture(service, company);
  const inClient = await stageCapture(service, company, { scope: { clientId } });
  const { batchId } = await claimAll(service, person);
  return { batchId, inTeam: inTeam.id, inClient: inClient.id };
}

const LATE = { title: 'Late', content: 'What came late.' } as const;

describe('a consolidation complete of a Team Admin who loses access during the request', () => {
  type Batch = Awaited<ReturnType<typeof mixedBatch>>;
  const items: Record<string, (batch: Batch) => GivenItem> = {
    'an item for the client': ({ inClient }) => ({ captureIds: [inClient], action: 'publish', ...LATE }),
    'an item for the Team from the capture in the client': ({ inClient }) => ({
      captureIds: [inClient],
      action: 'review',
      scope: {},
      ...LATE,
    }),
    'an item for the Team from both captures': ({ inTeam, inClient }) => ({
      captureIds: [inTeam, inClient],
      action: 'publish',
      scope: {},
      ...LATE,
    }),
    'a discard of both captures': ({ inTeam, inClient }) => ({
      captureIds: [inTeam, inClient],
      action: 'discard',
    }),
  };
  for (const what of ['the client was archived', 'the role was lowered'] as const) {
    for (const [which, item] of Object.entries(items)) {
      test(`a complete fails and leaves the captures claimed if ${what} before it finished: ${which}`, async (t) => {
        const here = await scene();
        const batch = await mixedBatch(here);
        const held = await openPausedApp(t, service, 3);
        const answer = await sendTooLate(service, held, { what, scene: here }, (app) =>
          complete(app, here.person, batch.batchId, [item(batch)]),
        );
        assert.equal(outcome(answer), '403 scope_forbidden');
      });
    }
  }

  test('a complete supersedes nothing if the role was lowered before it finished', async (t) => {
    const here = await scene();
    const { id: supersedes } = await addMemory(service, here.company, 'published');
    await stageCapture(service, here.person);
    const { batchId, captureIds } = await claimAll(service, here.person);
    const held = await openPausedApp(t, service, 3);
    const what = 'the role was lowered';
    const answer = await sendTooLate(service, held, { what, scene: here }, (app) =>
      complete(app, here.person, batchId, [{ captureIds, action: 'publish', supersedes, ...LATE }]),
    );
    assert.equal(outcome(answer), '403 full_access_required');
  });
});

describe('a request of a Team Admin whose role was lowered before it finished', () => {
  const tooLate = async (
    t: { after(fn: () => unknown): void },
    here: Scene,
    send: (app: HeldApp) => ReturnType<typeof sendClaim>,
  ) =>
    sendTooLate(
      service,
      await openPausedApp(t, service),
      { what: 'the role was lowered', scene: here },
      send,
    );

  test('a capture for a client without a grant returns 403', async (t) => {
    const here = await scene();
    const answer = await tooLate(t, here, (app) =>
      sendCapture(app, here.person, { scope: { clientId: here.clientId } }),
    );
    assert.equal(outcome(answer), '403 scope_forbidden');
  });

  test('a claim returns no captures of other people', async (t) => {
    const here = await scene();
    await stageCapture(service, here.company);
    await stageCapture(service, here.company, { scope: { clientId: here.clientId } });
    const answer = await tooLate(t, here, (app) => sendClaim(app, here.person));
    assert.deepEqual(answer.json(), { batch: null });
  });

  test('archiving a source of another person returns 403', async (t) => {
    const here = await scene();
    const { id } = await addSource(service, here.company);
    const answer = await tooLate(t, here, (app) => removeSource(app, here.person, id));
    assert.equal(outcome(answer), '403 forbidden');
  });

  test('archiving an own source of a client without a grant returns 404', async (t) => {
    const here = await scene();
    const { id } = await addSource(service, here.person, { scope: { clientId: here.clientId } });
    const answer = await tooLate(t, here, (app) => removeSource(app, here.person, id));
    assert.equal(outcome(answer), '404 not_found');
  });
});
