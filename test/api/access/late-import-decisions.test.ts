import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ask } from '../../support/company.ts';
import { duringPause, type HeldApp } from '../../support/held-app.ts';
import {
  changesNothing,
  plantImport,
  sendRemoval,
  sendRetries,
  sendRetry,
} from '../../support/import-records.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { openPausedApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, type Person } from '../../support/team.ts';
import { type Scene, type Taken, take } from './late-rights.ts';

/**
 * Decisions on imports, held between the look at the caller and the transaction that makes them, while what they
 * rest on is taken. No worker is at work here.
 */
const service = await openOwnTestApp();

async function scene(teamRole: 'member' | 'admin'): Promise<Scene> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const person = await addPerson(service, company, { teamRole, clients: { [clientId]: 'write' } });
  return { company, person, clientId };
}

type Send = (app: HeldApp, person: Person, id: string) => ReturnType<typeof sendRetry>;
interface Decision {
  state: 'queued' | 'failed';
  send: Send;
}

const DECISIONS: Record<string, Decision> = {
  'a retry of an import': { state: 'failed', send: sendRetry },
  'a retry of several imports': {
    state: 'failed',
    send: (app, person, id) => sendRetries(app, person, { ids: [id] }),
  },
  'a retry of all imports': {
    state: 'failed',
    send: (app, person) => sendRetries(app, person, { all: true }),
  },
  'a cancel of an import': { state: 'queued', send: sendRemoval },
  'a removal of an import': { state: 'failed', send: sendRemoval },
};

/** The expected answer to a decision on an own import of a client. */
const REFUSALS: Partial<Record<Taken, string>> = {
  'the Team was archived': '409 team_archived',
  'the client was archived': '404 not_found',
  'the grant was deleted': '404 not_found',
  'the grant was lowered': '403 forbidden',
  'the member was removed from the Team': '403 team_forbidden',
  'the account was closed': '401 unauthenticated',
};
/** Losses of access to one layer only: a retry of all then finds no import instead of failing. */
const OF_THE_LAYER: readonly string[] = [
  'the client was archived',
  'the grant was deleted',
  'the grant was lowered',
];

/** Removes the access of the caller while a decision is paused, and asserts that it changed nothing. */
async function tooLate(
  t: { after(fn: () => unknown): void },
  { what, here, id }: { what: Taken; here: Scene; id: string },
  send: Send,
) {
  const held = await openPausedApp(t, service);
  return changesNothing(service, here.company, () =>
    duringPause(
      held,
      (app) => send(app, here.person, id),
      () => take(service, what, here),
    ),
  );
}

for (const [decision, { state, send }] of Object.entries(DECISIONS)) {
  describe(`${decision} by a caller who loses access`, () => {
    for (const [what, refusal] of Object.entries(REFUSALS) as [Taken, string][]) {
      const nothingLeft = decision === 'a retry of all imports' && OF_THE_LAYER.includes(what);
      test(`${decision} ${nothingLeft ? 'finds nothing' : 'fails'} and changes nothing if ${what} before it finished`, async (t) => {
        const here = await scene('member');
        const id = await plantImport(service, here.company, {
          state,
          clientId: here.clientId,
          author: here.person.userId,
        });
        const answer = await tooLate(t, { what, here, id }, send);
        if (nothingLeft) assert.deepEqual([answer.statusCode, answer.json()], [202, { imports: [] }]);
        else assert.equal(outcome(answer), refusal);
      });
    }

    const [what, nothingLeft] = ['the role was lowered', decision === 'a retry of all imports'] as const;
    test(`${decision} ${nothingLeft ? 'finds nothing' : 'fails'} for an import of another author if ${what} before it finished`, async (t) => {
      const here = await scene('admin');
      const id = await plantImport(service, here.company, { state });
      const answer = await tooLate(t, { what, here, id }, send);
      if (nothingLeft) assert.deepEqual([answer.statusCode, answer.json()], [202, { imports: [] }]);
      else assert.equal(outcome(answer), '403 forbidden');
    });
  });
}

describe('a retry of all imports by a caller who loses one grant', () => {
  test('a retry of all imports still includes other layers if the grant was deleted before it finished', async (t) => {
    const { company, person, clientId } = await scene('member');
    const author = person.userId;
    await plantImport(service, company, { clientId, author });
    const left = await plantImport(service, company, { author });
    const held = await openPausedApp(t, service);
    const answer = await duringPause(
      held,
      (app) => sendRetries(app, person, { all: true }),
      () => take(service, 'the grant was deleted', { company, person, clientId }),
    );
    const { imports } = answer.json<{ imports: { id: string }[] }>();
    assert.deepEqual(
      imports.map(({ id }) => id),
      [left],
    );
  });
});

describe('a decision on an import that is deleted before the decision finishes', () => {
  for (const [decision, { state, send }] of Object.entries(DECISIONS)) {
    if (decision === 'a retry of all imports') continue;
    test(`${decision} returns 404 if the import was deleted before it finished`, async (t) => {
      const { company, person } = await scene('member');
      const id = await plantImport(service, company, { state, author: person.userId });
      const held = await openPausedApp(t, service);
      const answer = await duringPause(
        held,
        (app) => send(app, person, id),
        async () => {
          const removals = state === 'queued' ? 2 : 1;
          for (let n = 0; n < removals; n += 1) {
            const { statusCode } = await ask(service, company, 'DELETE', `/v1/memory/imports/${id}`);
            assert.equal(statusCode, 204);
          }
        },
      );
      assert.equal(outcome(answer), '404 not_found');
    });
  }
});
