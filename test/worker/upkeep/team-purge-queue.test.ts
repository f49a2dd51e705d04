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
    assert.equal((await each.ask.importFiles({ items })).statusCode, 202);
    const source = { title: 'x', text: 'a source' };
    assert.equal((await each.ask.ingestSource(source)).statusCode, 201);
  }
  const url = `/v1/company/teams/${teamId}`;
  assert.equal((await company.send('POST', `${url}/archive`)).statusCode, 200);
  assert.equal((await company.send('DELETE', url)).statusCode, 204);

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
  const completed = await database.query(
    `select from memory.import where team_id = $1 and state = 'completed'`,
    [kept.teamId],
  );
  assert.equal(completed.length, 3, 'those of another Team go on');
});
