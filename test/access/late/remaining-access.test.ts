import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changeAccess } from '../../support/access-changes.ts';
import { openTestApp } from '../../support/app.ts';
import { captureStates, stageCapture } from '../../support/captures.ts';
import { recordedBy } from '../../support/company.ts';
import { plantImport } from '../../support/import-records.ts';
import { addPerson } from '../../support/team.ts';
import { openScene, prepare, sendLate } from './walk.ts';

const service = await openTestApp();
const unchanged = async () => {};

describe('a request whose body arrives late, from a caller with access', { concurrency: true }, () => {
  test('an ingest stores one source in the Team layer, and one in a client', async (t) => {
    for (const layer of ['Team layer', 'client'] as const) {
      const scene = await openScene(service, 'a member with a grant');
      const request = await prepare(service, scene, `an ingest into the ${layer}`);
      assert.equal((await sendLate(t, service, request, 'body', unchanged)).statusCode, 201);
      const sources = await service.database.query(
        'select nullif(layer_id, team_id) as "clientId" from memory.source where team_id = $1',
        [scene.company.teamId],
      );
      assert.deepEqual(sources, [{ clientId: layer === 'client' ? scene.clientId : null }]);
    }
  });

  test('an Owner changes the role of a person in the Team and in the Company', async (t) => {
    const { company, person } = await openScene(service, 'a member with a grant');
    const owner = await addPerson(service, company, { companyRole: 'owner' });
    for (const [caller, place] of [
      [company, 'team'],
      [owner, 'company'],
    ] as const) {
      const url = `/v1/${place}/members/${person.userId}`;
      const answer = await sendLate(t, service, [caller, 'PATCH', url, { role: 'admin' }], 'body', unchanged);
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

describe('a claim whose caller loses access to some captures', () => {
  for (const [sender, change, author, layer] of [
    ['a member with a grant', 'the client was archived', 'person', 'client'],
    ['a member with a grant', 'the grant was deleted', 'person', 'client'],
    ['a member with a grant', 'the grant was lowered', 'person', 'client'],
    ['a Team Admin', 'the client was archived', 'person', 'client'],
    ['a Team Admin', 'the role was lowered', 'person', 'client'],
    ['a Team Admin', 'the role was lowered', 'company', 'Team layer'],
  ] as const) {
    const lost = `captures of ${author === 'person' ? 'the caller' : 'another person'} in the ${layer}`;
    test(`a claim by ${sender} leaves out ${lost} if ${change} while it waited`, async (t) => {
      const scene = await openScene(service, sender);
      const scope = layer === 'client' ? { clientId: scene.clientId } : {};
      await stageCapture(service, scene[author], { scope });
      const own = await stageCapture(service, scene.person);
      const { events } = await recordedBy(service, scene.company, async () => {
        const request = [scene.person, 'POST', '/v1/memory/consolidation/claim', {}] as const;
        const answer = await sendLate(t, service, request, 2, () => changeAccess(service, change, scene));
        assert.equal(answer.statusCode, 200, answer.body);
        const { batch } = answer.json<{ batch: { captures: { id: string }[] } }>();
        assert.deepEqual(
          batch.captures.map(({ id }) => id),
          [own.id],
        );
      });
      assert.deepEqual(await captureStates(service, scene.company), { claimed: 1, staged: 1 });
      const details = events.filter(({ kind }) => kind === 'memory.claim').map(({ detail }) => detail);
      assert.deepEqual(details, [{ captureIds: [own.id] }]);
    });
  }
});

test('a retry of all imports includes the Team layer if the grant on a client was deleted while it waited', async (t) => {
  const scene = await openScene(service, 'a member with a grant');
  const request = await prepare(service, scene, 'a retry of all imports');
  const left = await plantImport(service, scene.company, { author: scene.person.userId });
  const lose = () => changeAccess(service, 'the grant was deleted', scene);
  const answer = await sendLate(t, service, request, 2, lose);
  const { imports } = answer.json<{ imports: { id: string }[] }>();
  assert.deepEqual(
    imports.map(({ id }) => id),
    [left],
  );
});
