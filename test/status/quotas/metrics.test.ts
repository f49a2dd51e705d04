import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../../shared/ids.ts';
import { API_TOKEN } from '../../support/app.ts';
import { openOwnTestApp } from '../../support/own-service.ts';
import { file, workspaceOf } from '../../support/workspace.ts';
import { samplesOf } from '../metrics.ts';

/** Has its own database: metrics cover all Teams. Of this default, most Teams use too little to be near it. */
const service = await openOwnTestApp({ MEMORY_TEAM_MAX_CHUNKS: '100' });

/** Makes a Team with this quota, null for the default, that has some chunks of 36 bytes each. */
async function addStored(quota: object | null, chunks: number) {
  const company = await service.company();
  if (quota !== null) {
    const url = `/v1/company/teams/${company.teamId}`;
    assert.equal((await company.send('PATCH', url, { quota })).statusCode, 200);
  }
  if (chunks === 0) return company;
  const texts = Array.from({ length: chunks }, () => ({ text: newId() }));
  await company.api.ingestSource({ title: 'x', chunks: texts });
  return company;
}

test('metrics show what all Teams store, and how many are near a quota, without naming one', async () => {
  await addStored({ chunks: 10, bytes: 1000 }, 9);
  await addStored({ chunks: null, bytes: 36 }, 1);
  await addStored({ chunks: null, bytes: null }, 1);
  await addStored(null, 95);
  // Nothing can be added to it.
  await addStored({ chunks: 0, bytes: null }, 0);
  // What it stores counts until it is purged, and it is near no quota.
  const { teamId } = await addStored({ chunks: 1, bytes: null }, 1);
  await service.database.query('update identity.team set deleted_at = now() where id = $1', [teamId]);
  const { headers } = await addStored(null, 1);
  await workspaceOf(service.app, headers).push([file('team/a.md', 'Harbour')]);
  const names = ['sources', 'chunks', 'files', 'bytes'].map((what) => `memory_stored_${what}`);
  const samples = await samplesOf(service, API_TOKEN, ...names, 'memory_teams_near_quota');
  const shown = samples.map(({ name, labels, value }) => `${name} ${JSON.stringify(labels)} ${value}`);
  assert.deepEqual(shown.sort(), [
    `memory_stored_bytes {"part":"files"} 7`,
    `memory_stored_bytes {"part":"texts"} ${108 * 36}`,
    'memory_stored_chunks {} 108',
    'memory_stored_files {} 1',
    'memory_stored_sources {} 6',
    'memory_teams_near_quota {"share":"0.9"} 4',
    'memory_teams_near_quota {"share":"1"} 2',
  ]);
});

test('metrics show how many passages of all Teams are indexed again, without those of a deleted Team', async () => {
  const outdated = async () =>
    (await samplesOf(service, API_TOKEN, 'memory_outdated_chunks')).map(({ value }) => value);
  assert.deepEqual(await outdated(), [0]);
  const teams = [await addStored(null, 2), await addStored(null, 3), await addStored(null, 4)];
  const age = (place: number) =>
    service.database.query('update memory.source set terms_version = 1 where team_id = $1', [
      teams[place]?.teamId,
    ]);
  for (const place of [0, 2]) await age(place);
  assert.deepEqual(await outdated(), [6]);
  await service.database.query('update identity.team set deleted_at = now() where id = $1', [
    teams[2]?.teamId,
  ]);
  assert.deepEqual(await outdated(), [2]);
});
