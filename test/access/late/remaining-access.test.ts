import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AccessChange, changeAccess } from '../../support/access-changes.ts';
import { MAIL_ON, openTestApp } from '../../support/app.ts';
import { captureStates, stageCapture } from '../../support/captures.ts';
import { via } from '../../support/client/client.ts';
import { column } from '../../support/columns.ts';
import { recordedBy } from '../../support/company.ts';
import { IMPORTS, plantImport } from '../../support/import-records.ts';
import { addMemory, MEMORIES } from '../../support/memories.ts';
import { duringPause, openPausedApp } from '../../support/paused-app.ts';
import { sendSlowly } from '../../support/slow-body.ts';
import { addSource } from '../../support/source-library.ts';
import { addClient, addPerson } from '../../support/team.ts';

/*
 * Requests that a loss of access does not refuse: what the caller can still reach is done, and the rest is left out.
 */

const service = await openTestApp(MAIL_ON);

type Sender = 'a member with a grant' | 'a Team Admin';
type Scene = Awaited<ReturnType<typeof openScene>>;
type Test = { after(fn: () => unknown): void };

/** Makes a Company with a client, and a person who sends requests. */
async function openScene(sender: Sender) {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const ties =
    sender === 'a Team Admin'
      ? ({ teamRole: 'admin' } as const)
      : ({ teamRole: 'member', clients: { [clientId]: 'write' } } as const);
  return { company, clientId, person: await addPerson(service, company, ties) };
}

/** Sends a request as the person, whose access changes before a transaction of the request. */
async function sendLate(
  t: Test,
  scene: Scene,
  change: AccessChange,
  [url, body]: readonly [url: string, body: object],
  transaction = 2,
) {
  const paused = await openPausedApp(t, service, { transaction });
  return duringPause(
    paused,
    (app) => via(app, scene.person).send('POST', url, body),
    () => changeAccess(service, change, scene),
  );
}

describe('a request whose body arrives late, from a caller with access', { concurrency: true }, () => {
  const unchanged = async () => {};

  test('an ingest stores one source in the Team layer, and one in a client', async (t) => {
    for (const layer of ['Team layer', 'client'] as const) {
      const { company, clientId, person } = await openScene('a member with a grant');
      const scope = layer === 'client' ? { clientId } : {};
      const text = { title: 'A text', text: 'What came late.', scope };
      const answer = await sendSlowly(t, service, [person, 'POST', '/v1/memory/ingest', text], unchanged);
      assert.equal(answer.statusCode, 201, answer.body);
      const sources = await service.database.query(
        'select nullif(layer_id, team_id) as "clientId" from memory.source where team_id = $1',
        [company.teamId],
      );
      assert.deepEqual(sources, [{ clientId: layer === 'client' ? clientId : null }]);
    }
  });

  test('an Owner changes the role of a person in the Team and in the Company', async (t) => {
    const { company, person } = await openScene('a member with a grant');
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    for (const [caller, place] of [
      [company, 'team'],
      [owner, 'company'],
    ] as const) {
      const url = `/v1/${place}/members/${person.userId}`;
      const answer = await sendSlowly(t, service, [caller, 'PATCH', url, { role: 'admin' }], unchanged);
      assert.equal(answer.statusCode, 200, answer.body);
    }
    const roles = await service.database.query(
      `select a.role, m.role as "teamRole" from identity.account a
         join identity.team_member m on m.user_id = a.id where a.id = $1`,
      [person.userId],
    );
    assert.deepEqual(roles, [{ role: 'admin', teamRole: 'admin' }]);
  });
});

/** What a sender loses: what the named author has made, in a layer. */
const LEFT_OUT = [
  ['a member with a grant', 'the client was archived', 'person', 'client'],
  ['a member with a grant', 'the grant was deleted', 'person', 'client'],
  ['a member with a grant', 'the grant was lowered', 'person', 'client'],
  ['a Team Admin', 'the client was archived', 'person', 'client'],
  ['a Team Admin', 'the role was lowered', 'person', 'client'],
  ['a Team Admin', 'the role was lowered', 'company', 'Team layer'],
] as const;

describe('a request whose caller loses access to some records', () => {
  for (const [sender, change, author, layer] of LEFT_OUT) {
    const lost = `those of ${author === 'person' ? 'the caller' : 'another person'} in the ${layer}`;

    test(`a claim of captures by ${sender} leaves out ${lost} if ${change} while it waited`, async (t) => {
      const scene = await openScene(sender);
      const scope = layer === 'client' ? { clientId: scene.clientId } : {};
      await stageCapture(scene[author], { scope });
      const own = await stageCapture(scene.person);
      const { events } = await recordedBy(service, scene.company, async () => {
        const answer = await sendLate(t, scene, change, ['/v1/memory/consolidation/claim', {}]);
        assert.equal(answer.statusCode, 200, answer.body);
        const { batch } = answer.json<{ batch: { captures: { id: string }[] } }>();
        assert.deepEqual(column(batch.captures, 'id'), [own.id]);
      });
      assert.deepEqual(await captureStates(service, scene.company), { claimed: 1, staged: 1 });
      const details = events.filter(({ kind }) => kind === 'memory.claim').map(({ detail }) => detail);
      assert.deepEqual(details, [{ captureIds: [own.id] }]);
    });

    test(`a retry of all imports by ${sender} leaves out ${lost} if ${change} while it waited`, async (t) => {
      const scene = await openScene(sender);
      const { company, person, clientId } = scene;
      const userId = author === 'person' ? person.userId : company.ownerId;
      await plantImport(service, company, {
        author: userId,
        ...(layer === 'client' ? { clientId } : {}),
      });
      const own = await plantImport(service, company, { author: person.userId });
      const answer = await sendLate(t, scene, change, [`${IMPORTS}/retry`, { all: true }]);
      assert.equal(answer.statusCode, 202, answer.body);
      const { imports } = answer.json<{ imports: { id: string }[] }>();
      assert.deepEqual(column(imports, 'id'), [own]);
    });
  }

  test('an archive of the sources of all layers leaves out those of a client that was archived while it waited', async (t) => {
    const scene = await openScene('a Team Admin');
    await addSource(scene.company, { scope: { clientId: scene.clientId } });
    await addSource(scene.company);
    const body = { filter: { kind: 'ingest' }, dryRun: false };
    const answer = await sendLate(t, scene, 'the client was archived', ['/v1/memory/sources/archive', body]);
    assert.deepEqual([answer.statusCode, answer.json()], [200, { count: 1 }]);
  });

  test('of two decisions, the second is refused if the role was lowered after the first', async (t) => {
    const scene = await openScene('a Team Admin');
    const [done, refused] = [
      await addMemory(scene.company, 'published'),
      await addMemory(scene.company, 'published'),
    ];
    const decisions = [done, refused].map(({ id: memoryId }) => ({ action: 'delete', memoryId }));
    // Each decision has two transactions, after the one that resolves the caller.
    const answer = await sendLate(t, scene, 'the role was lowered', [MEMORIES, { decisions }], 4);
    const { results } = answer.json<{ results: { problem?: { code: string } }[] }>();
    assert.deepEqual(
      results.map(({ problem }) => problem?.code),
      [undefined, 'full_access_required'],
    );
    const states = await service.database.query(
      'select state from memory.memory_item where team_id = $1 order by state',
      [scene.company.teamId],
    );
    assert.deepEqual(states, [{ state: 'archived' }, { state: 'published' }]);
  });
});
