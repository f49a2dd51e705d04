import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { transaction } from '../../db/driver/database.ts';
import { insertSearchEvent } from '../../db/queries/audit.ts';
import { newId } from '../../shared/ids.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { type Answer, via } from '../support/client/client.ts';
import { column } from '../support/columns.ts';
import { duringPause, openPausedApp, overlap, waitUntilBlockedOrDone } from '../support/paused-app.ts';
import { ownerScope } from '../support/scopes.ts';
import { addPerson, archiveTeam } from '../support/team.ts';

const service = await openTestApp();
const { database } = service;

type App = Pick<TestApp, 'app'>;

async function scene() {
  const company = await service.company();
  return { company, person: await addPerson(service, company, { teamRole: 'member' }) };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** What deletes the stored text of a search, and its success. */
const ENDS: Record<
  string,
  {
    prepare?: (of: Scene) => Promise<unknown>;
    end: (of: Scene) => (to: App) => Promise<Answer>;
    ok: number;
  }
> = {
  'the erasure of the person who asked': {
    end:
      ({ company, person }) =>
      (to) =>
        via(to, company).ask.eraseCompanyMember(person.userId),
    ok: 200,
  },
  'the deletion of the Team': {
    prepare: ({ company }) => archiveTeam(service, company.teamId),
    end:
      ({ company }) =>
      (to) =>
        via(to, company).ask.deleteTeam(company.teamId),
    ok: 204,
  },
};

const search =
  ({ person }: Scene) =>
  (to: App) =>
    via(to, person).ask.searchMemory({
      query: `where ${person.userId} goes`,
      embeddingMode: 'keyword',
      scope: {},
      storeQueryText: true,
    });

/** Asserts that the search is recorded, without its text. */
async function assertForgotten({ person }: Scene): Promise<void> {
  const texts = await database.query<object>(
    'select query, query_salt as salt from memory.audit_search where actor_id = $1',
    [person.userId],
  );
  assert.deepEqual(texts, [{ query: null, salt: null }]);
}

for (const [name, { prepare, end, ok }] of Object.entries(ENDS)) {
  describe(`the text of a search, with ${name} at the same time,`, () => {
    const open = async () => {
      const of = await scene();
      await prepare?.(of);
      return of;
    };

    it('is not left when the search stores it at that moment', async (t) => {
      const of = await open();
      const answers = await overlap(t, service, 'into memory.audit_search', search(of), end(of));
      assert.deepEqual(column(answers, 'statusCode'), [200, ok]);
      await assertForgotten(of);
    });

    it('is not stored when the search goes on after it', async (t) => {
      const of = await open();
      const found = await duringPause(await openPausedApp(t, service), search(of), async () => {
        assert.equal((await end(of)(service)).statusCode, ok);
      });
      assert.equal(found.statusCode, 200);
      await assertForgotten(of);
    });

    it('is not left when the search has stored it, and ends later', async () => {
      const of = await open();
      const [stored, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const { userId } = of.person;
      const searching = transaction(database, { ...ownerScope(of.company), userId }, async (tx) => {
        const entry = {
          kind: 'memory.search',
          subjectType: 'query',
          subjectId: newId(),
          clientId: null,
        } as const;
        insertSearchEvent(tx, entry, { query: 'where to go', hitIds: [], passageIds: [] });
        await tx.query('select 1 as one');
        stored.resolve();
        await released.promise;
      });
      await stored.promise;
      const ended = Promise.resolve(end(of)(service));
      await waitUntilBlockedOrDone(service, ended);
      released.resolve();
      await searching;
      assert.equal((await ended).statusCode, ok);
      await assertForgotten(of);
    });
  });
}
