import assert from 'node:assert/strict';
import type { App } from '../../../api/types.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import type { Database } from '../../../db/driver/database.ts';
import { createCompany } from '../../../db/startup/bootstrap.ts';
import type { IssuedToken } from '../../../shared/schemas/tokens.ts';
import type { TestCompany } from '../../support/needs/database.ts';
import { addTeam } from '../../support/scopes.ts';
import { AGENTS, type AgentName, type AgentTies } from './agents.ts';
import { Canaries, type PlaceKey, type Thing } from './canaries.ts';
import { companyKey, type Place } from './place.ts';
import { plantTeam } from './planting.ts';
import { CALLERS, type CallerName } from './table.ts';
import { PASSWORD, Targets, type Ties } from './targets.ts';

/** Someone who asks. */
export interface Caller {
  name: CallerName;
  /** For nobody, an Owner of the Company that is asked. */
  userId: string;
  headers: Record<string, string>;
  /** The Team that the requests name. */
  at: Place;
  /** Where the caller belongs. */
  home: Place;
}

/** Where callers belong, and with what. All name the Team `t`, except the one in the archived Team. */
const CALLER_TIES: Record<
  Exclude<CallerName, 'nobody' | AgentName>,
  Ties & { home: PlaceKey; clientA?: 'read' | 'write' }
> = {
  stranger: { home: 'v', companyRole: 'owner' },
  neighbour: { home: 'u', teamRole: 'member' },
  member: { home: 't', teamRole: 'member' },
  granted: { home: 't', teamRole: 'member', clientA: 'write' },
  reading: { home: 't', teamRole: 'member', clientA: 'read' },
  'Team Admin': { home: 't', teamRole: 'admin' },
  'Team Owner': { home: 't', teamRole: 'owner' },
  Admin: { home: 't', companyRole: 'admin' },
  reader: { home: 't', companyRole: 'admin', grant: 'read' },
  'full Admin': { home: 't', companyRole: 'admin', grant: 'full' },
  Owner: { home: 't', companyRole: 'owner' },
  archived: { home: 'z', companyRole: 'owner' },
};

const isAgent = (name: CallerName): name is AgentName => name in AGENTS;

/** What the reasons of access requests are planted as, by who asks. */
export const REASONS: Partial<Record<CallerName, Thing>> = {
  Admin: 'reason-admin',
  reader: 'reason-reader',
  'full Admin': 'reason-full-admin',
};

/** Two Companies with Teams, clients, texts and people, in which everything bears the word of where it lies. */
export class World {
  readonly app: App;
  readonly canaries: Canaries;
  readonly targets: Targets;
  readonly places: Record<PlaceKey, Place>;
  readonly callers = new Map<CallerName, Caller>();
  private readonly emails: 'own' | 'taken';

  private constructor(app: App, targets: Targets, places: Record<PlaceKey, Place>, emails: World['emails']) {
    this.app = app;
    this.emails = emails;
    this.targets = targets;
    this.canaries = targets.canaries;
    this.places = places;
  }

  /**
   * Makes it, as far as can be by requests to the app: its log is looked at too.
   * @param emails whether each caller has taken the email that someone with other rights had before
   */
  static async open(
    app: App,
    { database, passwords }: Dependencies,
    emails: World['emails'],
  ): Promise<World> {
    const canaries = new Canaries();
    const targets = new Targets({ database }, canaries, await passwords.hash(PASSWORD));
    const first = await makeCompany(database, canaries, 't');
    const teams = {
      t: first,
      u: await addNamedTeam(database, canaries, 'u', first),
      z: await addNamedTeam(database, canaries, 'z', first),
      v: await makeCompany(database, canaries, 'v'),
    };
    const plant = async (key: PlaceKey) => {
      const team = teams[key];
      canaries.mark(team.teamId, 'team-name', key);
      const { token } = await targets.session(team.companyId, team.ownerId);
      const headers = { authorization: `Bearer ${token}`, 'memory-team': team.teamId };
      return plantTeam({ app, database, canaries }, { ...team, key, headers });
    };
    const [t, u, z, v] = [await plant('t'), await plant('u'), await plant('z'), await plant('v')];
    const world = new World(app, targets, { t, u, z, v }, emails);
    await database.query(`update identity.team set state = 'archived' where id = $1`, [z.teamId]);
    await world.settle();
    return world;
  }

  /** Someone new of this name, signed in. */
  async newCaller(name: CallerName): Promise<Caller> {
    const { t, z } = this.places;
    const at = name === 'archived' ? z : t;
    const team = { 'memory-team': at.teamId };
    if (name === 'nobody') return { name, userId: t.ownerId, headers: team, at, home: t };
    const agent: AgentTies | null = isAgent(name) ? AGENTS[name] : null;
    const { home: key, clientA, ...ties } = CALLER_TIES[isAgent(name) ? AGENTS[name].owner : name];
    const home = this.places[key];
    const clients = clientA === undefined ? {} : { [home.clientA]: clientA };
    const { userId } = await this.targets.account(home, { ...ties, clients });
    const session = await this.targets.session(home.companyId, userId);
    if (this.emails === 'taken') await this.takeEmail(home, session.token, ties);
    const token = agent === null ? session.token : await this.agentToken(session.token, at, agent);
    return { name, userId, headers: { authorization: `Bearer ${token}`, ...team }, at, home };
  }

  /**
   * Gives the person with this session the email that someone else had before: an Owner of the Company and, if the person
   * has a role in the Team, of the Team; for a Company Owner, someone without a role in the Company.
   */
  private async takeEmail(home: Place, session: string, { companyRole, teamRole }: Ties): Promise<void> {
    const { userId, email } = await this.targets.account(home, {
      companyRole: companyRole === 'owner' ? 'member' : 'owner',
      // With a role, the email is planted as that of a member of the Team.
      ...(teamRole === undefined ? {} : { teamRole: 'owner' }),
    });
    const [before, after] = email.split('@');
    const other = await this.targets.session(home.companyId, userId);
    await this.changeEmail(other.token, `${before}.before@${after}`);
    await this.changeEmail(session, email);
  }

  private async changeEmail(session: string, email: string): Promise<void> {
    const answer = await this.app.inject({
      method: 'PATCH',
      url: '/v1/auth/account',
      headers: { authorization: `Bearer ${session}` },
      payload: { email, password: PASSWORD },
    });
    assert.equal(answer.statusCode, 200, answer.body);
  }

  /** A new agent token of the person with this session. */
  private async agentToken(session: string, at: Place, ties: AgentTies): Promise<string> {
    const answer = await this.app.inject({
      method: 'POST',
      url: '/v1/auth/tokens',
      headers: { authorization: `Bearer ${session}` },
      payload: {
        name: this.canaries.word('token-name', at.key),
        teamId: at.teamId,
        permissions: ties.permissions,
        ...(ties.layerOnly && { clientIds: [] }),
      },
    });
    assert.equal(answer.statusCode, 201, answer.body);
    const { record, token } = answer.json<IssuedToken>();
    if (ties.expired) await this.targets.expire(record.id);
    return this.canaries.secret(token);
  }

  /** The one of this name who asks most of the time. */
  caller(name: CallerName): Caller {
    const caller = this.callers.get(name);
    assert.ok(caller, name);
    return caller;
  }

  /** People in every place, what they may reach, and what they asked for. */
  private async settle(): Promise<void> {
    const { targets, places } = this;
    for (const place of Object.values(places)) {
      // Owners who stay, so that no one else is ever the last one.
      await targets.account(place, { teamRole: 'owner' });
      const { clientA, clientB, archivedClient } = place;
      const clients = { [clientA]: 'read', [clientB]: 'write', [archivedClient]: 'write' } as const;
      await targets.account(place, { teamRole: 'member', clients });
      await targets.account(place);
      if (place.key === companyKey(place)) await targets.invitation(place);
      await targets.accessRequest(place);
    }
    for (const name of CALLERS) this.callers.set(name, await this.newCaller(name));
    for (const [name, thing] of Object.entries(REASONS)) {
      const answer = await this.app.inject({
        method: 'POST',
        url: '/v1/company/access-requests',
        headers: this.caller(name as CallerName).headers,
        payload: { teamId: places.u.teamId, access: 'read', reason: this.canaries.word(thing, 't') },
      });
      assert.equal(answer.statusCode, 201, answer.body);
    }
  }
}

async function makeCompany(database: Database, canaries: Canaries, key: PlaceKey): Promise<TestCompany> {
  const ownerEmail = `${canaries.word('people', key)}@example.com`;
  const names = {
    companyName: canaries.word('company-name', key),
    teamName: canaries.word('team-name', key),
  };
  const { companyId, userId, teamId } = await database.transaction((tx) =>
    createCompany(tx, { ...names, ownerEmail, principal: false }),
  );
  return { companyId, teamId, ownerId: userId, ownerEmail };
}

async function addNamedTeam(
  database: Database,
  canaries: Canaries,
  key: PlaceKey,
  company: TestCompany,
): Promise<TestCompany> {
  const team = await addTeam(database, company);
  const name = canaries.word('team-name', key);
  await database.query('update identity.team set name = $2 where id = $1', [team.teamId, name]);
  return team;
}
