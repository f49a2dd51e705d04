import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '../../../shared/logger.ts';
import { startWorker } from '../../../worker/worker.ts';
import { openOwnTestApp } from '../../support/own-service.ts';

const service = await openOwnTestApp();
const { database } = service;

test('a Team that is deleted while imports wait is removed, and all its jobs end', async (t) => {
  const company = await service.company();
  const { teamId } = company;
  const kept = await service.company();
  for (const each of [company, kept]) {
    const items = ['a', 'b', 'c'].map((name) => ({ filename: `${name}.txt`, text: `the file ${name}` }));
    await each.api.importFiles({ items });
    await each.api.ingestSource({ title: 'x', text: 'a source' });
  }
  await company.api.archiveTeam(teamId);
  await company.api.deleteTeam(teamId);

  const worker = await startWorker({ ...service, logger: createLogger('silent', 'test') });
  t.after(() => worker.stop());
  const jobs = () =>
    database.query<{ name: string; state: string }>(
      `select name, state::text from pgboss.job where data ->> 'teamId' in ($1::text, $2::text)`,
      [teamId, kept.teamId],
    );
  const ended = ['completed', 'failed', 'cancelled'];
  while ((await jobs()).some(({ state }) => !ended.includes(state))) await pause(20);

  const names = (await jobs()).map(({ name, state }) => `${name} ${state}`);
  assert.deepEqual(
    [...new Set(names)].sort(),
    ['import.process completed', 'keywords.count completed', 'team.purge completed'],
    'none failed',
  );
  for (const table of ['identity.team', 'memory.import', 'memory.source', 'memory.keyword_team']) {
    const key = table === 'identity.team' ? 'id' : 'team_id';
    assert.deepEqual(await database.query(`select from ${table} where ${key} = $1`, [teamId]), [], table);
  }
  const { items } = await kept.api.listImports({ state: 'completed' });
  assert.equal(items.length, 3, 'those of another Team go on');
});
