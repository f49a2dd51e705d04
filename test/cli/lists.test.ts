import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storeUses } from '../../core/feedback/commands.ts';
import type { TeamActivity } from '../../shared/schemas/activity.ts';
import type { AuditEvent } from '../../shared/schemas/audit.ts';
import { column } from '../support/columns.ts';
import { addMemory } from '../support/memories.ts';
import { addSource } from '../support/source-library.ts';
import { addClient } from '../support/team.ts';
import { assertRefused } from './cli.ts';
import { openCli } from './cli-person.ts';

const { service, base, owner, openOther } = await openCli();

type Answer = { items: { title: string }[]; total?: number };

describe('cli lists', () => {
  test('sources and memories are sorted and counted on request', async () => {
    const { company, text, data } = await owner();
    for (const title of ['b', 'C', 'a']) {
      await addSource(company, { title, text: `the text of ${title}` });
      await addMemory(company, 'review', { title, content: `the text of ${title}` });
    }
    for (const list of [['sources', '--kind', 'ingest'], ['memories']]) {
      const sorted = [...list, '--sort', 'title', '--order', 'desc'];
      const { items, total } = await data<Answer>(...sorted, '--limit', '2', '--count');
      assert.deepEqual([column(items, 'title'), total], [['C', 'b'], 3]);
      const shown = await text(...sorted, '--limit', '2', '--count');
      assert.match(shown, /There may be more: --limit lists more than 2\.\n3 in all\.\n$/);
      assert.match(await text(...list, '--limit', '3', '--count'), /[^.]\n3 in all\.\n$/);
      assert.equal((await data<Answer>(...list)).total, undefined);
    }
  });

  test('a total that is not known is more than the service counts', async () => {
    const { text } = await owner();
    const other = await openOther((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ items: [], nextCursor: null, total: null, totalAtLeast: 10_000 }));
    });
    const env = { MEMORY_API_TOKEN: 'a-token-that-is-long-enough-for-a-test' };
    const { person } = await owner();
    const ended = await person.run(['sources', '--count', '--url', other.url], { env });
    assert.match(ended.stdout, /More than 10,000 in all\.\n$/, ended.stderr);
    assert.match(await text('sources', '--count'), /^No sources\.\n0 in all\.\n$/);
  });
});

test('cli audit is filtered by member, time and kinds', async () => {
  const { company, person, text, data } = await owner();
  await addSource(company);
  await text('search', 'text');
  const kinds = async (...args: string[]) =>
    column((await data<{ items: AuditEvent[] }>('audit', ...args)).items, 'kind');
  const all = await kinds();
  assert.ok(all.includes('memory.search') && all.includes('memory.ingest'), all.join());
  const others = all.filter((kind) => kind !== 'memory.search');
  assert.deepEqual(await kinds('--not-kind', 'memory.search'), others);
  assert.deepEqual(await kinds('--kind', 'memory.search', '--kind', 'memory.ingest'), [
    'memory.search',
    'memory.ingest',
  ]);
  assert.deepEqual(await kinds('--actor', company.ownerEmail.toUpperCase()), all);
  assert.deepEqual(await kinds('--until', '2020-01-01'), []);
  assert.deepEqual(await kinds('--since', '1h'), all);
  assertRefused(await person.run(['audit', '--actor', 'nobody']), /--actor: the Team has no member named/);
});

test('cli search --facets names what a search can be narrowed to', async () => {
  const { company, text } = await owner();
  const clientId = await addClient(service, company);
  const occurredAt = '2024-05-06';
  await addSource(company, { text: 'a pump', tags: ['site'], occurredAt, scope: { clientId } });
  const shown = await text('search', 'pump', '--client', 'all', '--facets');
  assert.match(shown, /Kinds +ingest 1\nClients +A client 1\nTags +site 1\nYears +2024 1\n/);
  assert.doesNotMatch(await text('search', 'pump'), /Kinds/);
});

test('cli activity shows each day with a bar, all days together, and agent tokens', async () => {
  const { person, text, data } = await owner();
  await text('search', 'pump');
  const { token } = await data<{ token: string }>('token', 'create', 'Bot', '--permission', 'memory:read');
  for (const words of ['one', 'two']) {
    const env = { MEMORY_API_TOKEN: token };
    assert.equal((await person.run(['search', words, '--url', base], { env })).code, 0);
  }
  // Otherwise some of it is counted a moment later.
  await storeUses(service.database);
  const { days } = await data<TeamActivity>('activity', '--days', '2');
  assert.deepEqual(column(days, 'searches'), [0, 3]);
  const shown = await text('activity', '--days', '2');
  assert.match(shown, /^Day \(UTC\) +Searches +No hit\n\S+ +0 +0\n\S+ +3 +#{10} +3\nAll +3 +3\n/);
  assert.match(shown, /\n\nAgent token +Searches +Writes +Characters read +Id\nBot +2 +0 +0 +/);
  assertRefused(await person.run(['activity', '--days', '367']), /from 1 to 366/);
});

test('cli reads the answer of an older service without the fields that came later', async () => {
  const { company, person } = await owner();
  const { unread, encoding, ...earlier } = await addSource(company, { title: 'Old' });
  assert.deepEqual([unread, encoding], [[], null]);
  const other = await openOther((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ items: [earlier], nextCursor: null }));
  });
  const env = { MEMORY_API_TOKEN: 'a-token-that-is-long-enough-for-a-test' };
  const ended = await person.run(['sources', '--url', other.url], { env });
  assert.match(ended.stdout, /Old\n/, ended.stderr);
});

test('cli says that a service without the route of a command is older', async () => {
  const { person } = await owner();
  const other = await openOther((_, response) => {
    response.writeHead(405, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ code: 'method_not_allowed', detail: 'Method not allowed; use GET' }));
  });
  const env = { MEMORY_API_TOKEN: 'a-token-that-is-long-enough-for-a-test' };
  assertRefused(await person.run(['audit', '--url', other.url], { env }), /is older than this program/);
});
