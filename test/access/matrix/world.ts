import assert from 'node:assert/strict';
import type { App } from '../../../api/types.ts';
import type { Dependencies } from '../../../core/dependencies.ts';
import type { Database } from '../../../db/driver/database.ts';
import { createCompany } from '../../../db/startup/bootstrap.ts';
import { callerOf } from '../../support/client/client.ts';
import { column } from '../../support/columns.ts';
import type { TestCompany } from '../../support/needs/database.ts';
import { addTeam } from '../../support/scopes.ts';
import { type Caller, type CallerTools, newCaller } from './callers.ts';
import { Canaries, type PlaceKey, type Thing } from './canaries.ts';
import { companyKey, type Place } from './place.ts';
import { plantTeam } from './planting.ts';
import { CALLERS, type CallerName } from './table.ts';
import { PASSWORD, Targets } from './targets.ts';

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
  readonly emails: CallerTools['emails'];
  private readonly database: Database;

  private constructor(
    app: App,
    database: Database,
    targets: Targets,
    places: Record<PlaceKey, Place>,
    emails: CallerTools['emails'],
  ) {
    this.app = app;
    this.database = database;
    this.emails = emails;
    this.targets = targets;
    this.canaries = targets.canaries;
    this.places = places;
  }

  /**
   * Makes it, as far as can be by requests to the app: its log is looked at too.
   * @param emails whether each caller has taken the email that someone with other rights had before
   * @param twins whether the other Company has the same emails, and the same names of Teams and clients
   */
  static async open(
    app: App,
    service: Dependencies,
    emails: CallerTools['emails'],
    twins = false,
  ): Promise<World> {
    const { database, passwords } = service;
    const canaries = new Canaries();
    const targets = new Targets(service, canaries, await passwords.hash(PASSWORD));
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
    const world = new World(app, database, targets, { t, u, z, v }, emails);
    if (twins) await world.makeTwins(await passwords.hash('the password of the twins'));
    await database.query(`update identity.team set state = 'archived' where id = $1`, [z.teamId]);
    await world.settle();
    return world;
  }

  /**
   * Gives the Team of the other Company the names of the Team that is asked about, its clients and its Owner's email; and has
   * everything that is made from now on have a twin there.
   */
  private async makeTwins(passwordHash: string): Promise<void> {
    const { t, v } = this.places;
    const { database } = this;
    for (const [table, from, to] of [
      ['team', t.teamId, v.teamId],
      ['client', t.clientA, v.clientA],
      ['client', t.clientB, v.clientB],
      ['client', t.archivedClient, v.archivedClient],
    ] as const) {
      const [made] = await database.query<{ name: string }>(
        `update identity.${table} o set name = s.name, folded_name = s.folded_name
           from identity.${table} s where s.id = $1 and o.id = $2 returning o.name`,
        [from, to],
      );
      this.canaries.share(made?.name ?? '');
    }
    await database.query(
      `update identity.account o set email = s.email from identity.account s where s.id = $1 and o.id = $2`,
      [t.ownerId, v.ownerId],
    );
    this.canaries.share(t.ownerEmail.replace('@example.com', ''));
    this.targets.twins = { ...v, passwordHash };
  }

  /** Does something, and takes away the roles in Teams and the invites that were made meanwhile. */
  async keepMembers<T>(act: () => Promise<T>): Promise<T> {
    // Those who ask are made when they first ask, with their roles.
    for (const name of CALLERS) this.caller(name);
    const { database } = this;
    const members = await database.query<{ teamId: string; userId: string }>(
      'select team_id as "teamId", user_id as "userId" from identity.team_member',
    );
    const invites = await database.query<{ id: string }>('select id from identity.invite');
    const result = await act();
    await database.query(
      `delete from identity.team_member m
        where not exists (select from unnest($1::uuid[], $2::uuid[]) b (team_id, user_id)
                           where b.team_id = m.team_id and b.user_id = m.user_id)`,
      [column(members, 'teamId'), column(members, 'userId')],
    );
    await database.query('delete from identity.invite where not id = any ($1::uuid[])', [
      column(invites, 'id'),
    ]);
    return result;
  }

  /** Someone new of this name, signed in. */
  newCaller(name: CallerName): Promise<Caller> {
    return newCaller(this, name, this.places);
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
      const { headers } = this.caller(name as CallerName);
      const asked = { teamId: places.u.teamId, access: 'read', reason: this.canaries.word(thing, 't') };
      await callerOf(this.app, headers).api.requestAccess(asked);
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
