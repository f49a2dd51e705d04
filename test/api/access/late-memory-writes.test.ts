import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openTestApp } from '../../support/app.ts';
import { sendCapture, sendClaim, stageCapture } from '../../support/captures.ts';
import { complete, lend } from '../../support/consolidation.ts';
import type { HeldApp } from '../../support/held-app.ts';
import { openPausedApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addSource, removeSource } from '../../support/source-library.ts';
import { addClient, addPerson } from '../../support/team.ts';
import { type Scene, sendTooLate, type Taken } from './late-rights.ts';

/**
 * What members write to memory, held between the look at the caller and the transaction that writes, while what it
 * rests on is taken.
 */
const service = await openTestApp();

async function scene(): Promise<Scene> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const person = await addPerson(service, company, { teamRole: 'member', clients: { [clientId]: 'write' } });
  return { company, person, clientId };
}

type Sent = ReturnType<typeof sendClaim>;
interface Write {
  /** The transaction that the request is held before; the first one resolves its caller. */
  before: number;
  /** Makes what the write needs, and returns the function that sends it. */
  prepare: (scene: Scene) => Promise<(app: HeldApp) => Sent>;
  /** Refusals that are not those of the others. */
  refusals?: Partial<Record<Taken, string>>;
}

async function prepareComplete({ person, clientId }: Scene) {
  const { batchId, captureIds } = await lend(service, person, [clientId]);
  const items = [{ captureIds, action: 'publish', title: 'Late', content: 'What came late.' } as const];
  return (app: HeldApp) => complete(app, person, batchId, items);
}

const WRITES: Record<string, Write> = {
  'a capture': {
    before: 2,
    prepare: async ({ person, clientId }) => {
      return (app) => sendCapture(app, person, { scope: { clientId }, sequence: 1 });
    },
  },
  'a claim for one client': {
    before: 2,
    prepare: async ({ person, clientId }) => {
      await stageCapture(service, person, { scope: { clientId } });
      return (app) => sendClaim(app, person, { clientId });
    },
  },
  'a complete paused before reading': { before: 2, prepare: prepareComplete },
  'a complete paused before writing': { before: 3, prepare: prepareComplete },
  'archiving a source': {
    before: 2,
    prepare: async ({ person, clientId }) => {
      const { id } = await addSource(service, person, { scope: { clientId } });
      return (app) => removeSource(app, person, id);
    },
    // A request names a source by its id: one that the caller cannot read does not exist.
    refusals: {
      'the client was archived': '404 not_found',
      'the grant was deleted': '404 not_found',
      'the grant was lowered': '403 forbidden',
    },
  },
};

const REFUSALS: Partial<Record<Taken, string>> = {
  'the Team was archived': '409 team_archived',
  'the client was archived': '403 scope_forbidden',
  'the grant was deleted': '403 scope_forbidden',
  'the grant was lowered': '403 scope_forbidden',
  'the member was removed from the Team': '403 team_forbidden',
  'the account was closed': '401 unauthenticated',
};

for (const [write, { before, prepare, refusals }] of Object.entries(WRITES)) {
  describe(`${write} by a caller who loses access`, () => {
    for (const [what, usual] of Object.entries(REFUSALS) as [Taken, string][]) {
      test(`${write} fails and changes nothing if ${what} before it finished`, async (t) => {
        const here = await scene();
        const send = await prepare(here);
        const held = await openPausedApp(t, service, before);
        const answer = await sendTooLate(service, held, { what, scene: here }, send);
        assert.equal(outcome(answer), refusals?.[what] ?? usual);
      });
    }
  });
}

describe('a claim without a client filter', () => {
  for (const what of ['the client was archived', 'the grant was deleted', 'the grant was lowered'] as const) {
    test(`a claim returns no capture of a client if ${what} before it finished`, async (t) => {
      const here = await scene();
      await stageCapture(service, here.person, { scope: { clientId: here.clientId } });
      const held = await openPausedApp(t, service);
      const answer = await sendTooLate(service, held, { what, scene: here }, (app) =>
        sendClaim(app, here.person),
      );
      assert.deepEqual([outcome(answer), answer.json()], ['200', { batch: null }]);
    });
  }

  test('a claim still returns captures of other layers if the grant was deleted before it finished', async (t) => {
    const here = await scene();
    await stageCapture(service, here.person, { scope: { clientId: here.clientId } });
    const left = await stageCapture(service, here.person);
    const held = await openPausedApp(t, service);
    const sent = Promise.resolve(sendClaim(held, here.person));
    await held.reached;
    await service.database.query('delete from identity.client_grant where user_id = $1', [
      here.person.userId,
    ]);
    held.release();
    const { batch } = (await sent).json<{ batch: { captures: { id: string }[] } }>();
    assert.deepEqual(
      batch.captures.map(({ id }) => id),
      [left.id],
    );
  });
});
