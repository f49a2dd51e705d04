import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Static } from 'typebox';
import type { ClaimResponse } from '../../../shared/schemas/consolidation.ts';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { captureStates, sendCapture, sendClaim, stageCapture } from '../../support/captures.ts';
import { ask, type Method, recordedBy } from '../../support/company.ts';
import { duringPause, type HeldApp } from '../../support/held-app.ts';
import { openPausedApp } from '../../support/paused-app.ts';
import { outcome } from '../../support/sign-in.ts';
import { addClient, addPerson, type Person } from '../../support/team.ts';

/*
 * Access is removed while a capture or a claim waits between its authorisation and its transaction.
 */
const service = await openTestApp();

interface Cast {
  company: SignedIn;
  clientId: string;
  /** Writes the Team layer and the client. */
  member: Person;
}

async function cast(teamRole: 'member' | 'admin' = 'member'): Promise<Cast> {
  const company = await service.company();
  const clientId = await addClient(service, company);
  const clients = teamRole === 'member' ? ({ [clientId]: 'write' } as const) : {};
  return { company, clientId, member: await addPerson(service, company, { teamRole, clients }) };
}

type Take = (cast: Cast) => [method: Method, url: string, body?: object];
const ARCHIVE_TEAM: Take = ({ company }) => ['POST', `/v1/company/teams/${company.teamId}/archive`];
const ARCHIVE_CLIENT: Take = ({ clientId }) => ['DELETE', `/v1/team/clients/${clientId}`];
const TAKE_GRANT: Take = ({ member, clientId }) => ['DELETE', `/v1/team/grants/${member.userId}/${clientId}`];
const LESSEN_GRANT: Take = ({ member, clientId }) => [
  'PUT',
  `/v1/team/grants/${member.userId}/${clientId}`,
  { access: 'read' },
];
const REMOVE: Take = ({ member }) => ['DELETE', `/v1/team/members/${member.userId}`];
const CLOSE: Take = ({ member }) => ['DELETE', `/v1/company/members/${member.userId}`];
const DEMOTE: Take = ({ member }) => ['PATCH', `/v1/team/members/${member.userId}`, { role: 'member' }];

/** Sends a request of the member, and removes access before its transaction. */
async function whileTaken(
  t: { after(fn: () => unknown): void },
  cast: Cast,
  take: Take,
  send: (held: HeldApp) => ReturnType<typeof sendClaim>,
) {
  const held = await openPausedApp(t, service);
  return duringPause(held, send, async () => {
    const { statusCode, body } = await ask(service, cast.company, ...take(cast));
    assert.ok(statusCode < 300, body);
  });
}

const REFUSALS: [what: string, take: Take, refusal: string][] = [
  ['the Team was archived', ARCHIVE_TEAM, '409 team_archived'],
  ['the member was removed from the Team', REMOVE, '403 team_forbidden'],
  ['the account was closed', CLOSE, '401 unauthenticated'],
];

describe('a capture whose author loses access while the request waits', () => {
  for (const [what, take, refusal] of [
    ...REFUSALS,
    ['the client was archived', ARCHIVE_CLIENT, '403 scope_forbidden'],
    ['the grant was revoked', TAKE_GRANT, '403 scope_forbidden'],
    ['the grant was reduced to read', LESSEN_GRANT, '403 scope_forbidden'],
  ] as typeof REFUSALS) {
    test(`returns ${refusal} and stages nothing if ${what}`, async (t) => {
      const people = await cast();
      const { clientId, member, company } = people;
      const answer = await whileTaken(t, people, take, (held) =>
        sendCapture(held, member, { sequence: 1, scope: { clientId } }),
      );
      assert.equal(outcome(answer), refusal);
      assert.deepEqual(await captureStates(service, company), {});
    });
  }
});

describe('a claim whose caller loses access while the request waits', () => {
  for (const [what, take, refusal] of REFUSALS) {
    test(`returns ${refusal} and claims nothing if ${what}`, async (t) => {
      const people = await cast();
      const { clientId, member, company } = people;
      await stageCapture(service, member, { scope: { clientId } });
      await stageCapture(service, member);
      const answer = await whileTaken(t, people, take, (held) => sendClaim(held, member));
      assert.equal(outcome(answer), refusal);
      assert.deepEqual(await captureStates(service, company), { staged: 2 });
    });
  }

  for (const [what, take, role] of [
    ['the client was archived', ARCHIVE_CLIENT, 'member'],
    ['the grant was revoked', TAKE_GRANT, 'member'],
    ['the grant was reduced to read', LESSEN_GRANT, 'member'],
    ['the client was archived, even for a Team Admin', ARCHIVE_CLIENT, 'admin'],
    ['the caller lost Full access and has no grant', DEMOTE, 'admin'],
  ] as const) {
    test(`claims nothing of the client if ${what}`, async (t) => {
      const people = await cast(role);
      const { clientId, member, company } = people;
      await stageCapture(service, member, { summary: 'Of the client.', scope: { clientId } });
      const own = await stageCapture(service, member);
      const answer = await whileTaken(t, people, take, (held) => sendClaim(held, member));
      assert.equal(answer.statusCode, 200, answer.body);
      const { batch } = answer.json<Static<typeof ClaimResponse>>();
      assert.deepEqual(
        batch?.captures.map(({ id }) => id),
        [own.id],
      );
      assert.deepEqual(await captureStates(service, company), { claimed: 1, staged: 1 });
    });
  }

  test('returns 403 if the client that it names is out of reach', async (t) => {
    for (const take of [ARCHIVE_CLIENT, TAKE_GRANT, LESSEN_GRANT]) {
      const people = await cast();
      const { clientId, member, company } = people;
      await stageCapture(service, member, { scope: { clientId } });
      const answer = await whileTaken(t, people, take, (held) => sendClaim(held, member, { clientId }));
      assert.equal(outcome(answer), '403 scope_forbidden');
      assert.deepEqual(await captureStates(service, company), { staged: 1 });
    }
  });

  test('claims only the caller’s own captures if Full access was lost', async (t) => {
    const people = await cast('admin');
    const { member, company } = people;
    await stageCapture(service, company);
    const own = await stageCapture(service, member);
    const { events } = await recordedBy(service, company, async () => {
      const answer = await whileTaken(t, people, DEMOTE, (held) => sendClaim(held, member));
      assert.equal(answer.statusCode, 200, answer.body);
    });
    assert.deepEqual(
      events.filter(({ kind }) => kind === 'memory.claim').map(({ detail }) => detail),
      [{ captureIds: [own.id] }],
    );
  });
});
