import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp, type SignedIn } from '../../support/app.ts';
import { called, callTool } from '../../support/mcp.ts';
import { addSource, readSource } from '../../support/source-library.ts';

const service = await openTestApp();

interface Found {
  results: { id: string; when: string }[];
}
const search = async (company: SignedIn, args: object) =>
  (await called<Found>(company, 'search', { query: 'walrus', ...args })).results;

test('since and until of the tool search compare when it happened, which is `when`', async () => {
  const company = await service.company();
  const dated = await addSource(company, { text: 'A walrus of a day.', occurredAt: '2020-01-31' });
  const timed = await addSource(company, {
    text: 'A walrus of a time.',
    occurredAt: '2020-02-01T10:00:00Z',
  });
  const other = await addSource(company, { text: 'A walrus of today.' });
  const found = async (args: object) => (await search(company, args)).map(({ id }) => id).toSorted();
  const ids = (...sources: { id: string }[]) => sources.map(({ id }) => id).toSorted();
  assert.deepEqual(await found({ since: '2020-01-31', until: ' 2020-02-01 ' }), ids(dated, timed));
  assert.deepEqual(await found({ since: '2020-01-31T23:59:59.999Z' }), ids(dated, timed, other));
  assert.deepEqual(await found({ since: '2020-02-01T10:00:00Z' }), ids(timed, other));
  assert.deepEqual(await found({ until: '2020-01-31T00:00:00Z' }), ids(dated));
  assert.deepEqual(await found({ since: '2020-02-02' }), ids(other));
  assert.deepEqual(await found({ since: '2020-02-02', until: '2020-02-01' }), []);
  const shown = new Map((await search(company, {})).map(({ id, when }) => [id, when]));
  assert.equal(shown.get(dated.id), '2020-01-31');
  assert.equal(shown.get(timed.id), '2020-02-01T10:00:00.000Z');
  assert.ok(Math.abs(Date.parse(shown.get(other.id) ?? '') - Date.parse(other.createdAt)) < 60_000);
  for (const edge of ['since', 'until']) {
    const { text } = await callTool(company, 'search', { query: 'a', [edge]: 'lately' });
    assert.match(text, new RegExp(`^invalid_request: /${edge}: must be a day such as`));
  }
});

test('the tool remember stores when it happened, and a known key keeps it', async () => {
  const company = await service.company();
  const remember = async (args: object) => {
    const answer = await called<{ id: string; status: string }>(company, 'remember', args);
    return [answer.status, (await readSource(company, answer.id)).occurredAt];
  };
  const text = 'The walrus sleeps.';
  assert.deepEqual(await remember({ text, key: 'walrus', occurred: ' 2020-01-31 ' }), [
    'created',
    '2020-01-31',
  ]);
  assert.deepEqual(await remember({ text, key: 'walrus' }), ['duplicate', '2020-01-31']);
  assert.deepEqual(await remember({ text: 'It wakes.', key: 'walrus' }), ['replaced', '2020-01-31']);
  assert.deepEqual(
    await remember({ text: 'It wakes.', key: 'walrus', occurred: '2020-02-01T10:00:00+01:00' }),
    ['replaced', '2020-02-01T09:00:00.000Z'],
  );
  const refused = await callTool(company, 'remember', { text, occurred: '2020-02-30' });
  assert.match(refused.text, /^invalid_request: \/occurred: must be a day such as/);
});
