import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldStoredNames } from '../../../db/startup/folded-names.ts';
import { newId } from '../../../shared/ids.ts';
import { ask, listAll } from '../../support/company.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { outcome } from '../../support/sign-in.ts';

// The step names the Teams of all Companies.
const service = await openOwnTestApp();
const { database } = service;
const TEAMS = '/v1/company/teams';

test('start-up numbers equal names from before, and the oldest stays', async () => {
  const company = await service.company();
  const { companyId } = company;
  const makeTeam = (name: string) => ask(service, company, 'POST', TEAMS, { name });
  const insertTeam = async (name: string, age: number) => {
    const id = newId();
    await database.query(
      `insert into identity.team (company_id, id, name, created_at) values ($1, $2, $3, now() - make_interval(days => $4))`,
      [companyId, id, name, age],
    );
    return id;
  };
  const long = 'ä'.repeat(300);
  assert.equal((await makeTeam('North (2)')).statusCode, 201);
  const teams = [
    [await insertTeam('north', 1), 'north (4)'],
    [await insertTeam('North', 3), 'North'],
    [await insertTeam('NORTH', 2), 'NORTH (3)'],
    [await insertTeam(long, 2), long],
    [await insertTeam(long, 1), `${'ä'.repeat(296)} (2)`],
    [await insertTeam('East', 4), 'East'],
    [await insertTeam('East', 3), 'East (2)'],
    [await insertTeam('East', 2), 'East (3)'],
    [await insertTeam('east', 1), 'east (4)'],
    [await insertTeam('South', 3), 'South'],
    [await insertTeam('south', 2), 'south (3)'],
    [await insertTeam('South (2)', 1), 'South (2)'],
  ];
  const insertClient = (name: string, state: string, age: number) =>
    database.query(
      `insert into identity.client (company_id, team_id, id, name, state, created_at)
       values ($1, $2, $3, $4, $5, now() - make_interval(days => $6))`,
      [companyId, company.teamId, newId(), name, state, age],
    );
  await insertClient('Shore', 'archived', 3);
  await insertClient('Shore', 'active', 2);
  await insertClient('shore', 'active', 1);
  await foldStoredNames(database);
  const listed = await listAll<{ id: string; name: string }>(service, company, TEAMS);
  const names = new Map(listed.map(({ id, name }) => [id, name]));
  for (const [id, expected] of teams) assert.equal(names.get(id ?? ''), expected);
  const clients = await listAll<{ name: string }>(service, company, '/v1/team/clients');
  assert.deepEqual(clients.map(({ name }) => name).sort(), ['Shore', 'shore (2)']);
  assert.equal(outcome(await makeTeam('north (4)')), '409 conflict');
});
