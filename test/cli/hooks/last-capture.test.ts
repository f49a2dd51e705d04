import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connect } from '../../../cli/client/service-client.ts';
import { endOf, readProgress } from '../../../cli/hooks/state.ts';
import type { Message } from '../../../cli/hooks/transcript.ts';
import { openTestApp } from '../../support/app.ts';
import { addPerson, type Caller } from '../../support/team.ts';

const second = (number: number) => `2026-11-20T09:00:0${number}.000Z`;
const messages = [1, 2, 3, 4].map((number): Message => ({ speaker: 'Agent', text: 'x', at: second(number) }));

describe('endOf', () => {
  const cases: [string, unknown, string | null, number][] = [
    ['counts the messages', 2, second(2), 2],
    ['trusts the count of a session without times', 2, null, 2],
    ['goes by the time if an earlier version counted more messages', 4, second(2), 2],
    ['goes by the time if an earlier version counted fewer messages', 1, second(2), 2],
    ['ends at the last message if the transcript is shorter', 9, second(4), 4],
    ['is 0 for a capture that no hook has staged', 'x', null, 0],
  ];
  for (const [title, upTo, endedAt, expected] of cases)
    test(title, () => assert.equal(endOf({ metadata: { upTo }, endedAt }, messages), expected));
});

test('readProgress finds the last capture of the user, and none of another person', async () => {
  const service = await openTestApp();
  const company = await service.company();
  const other = await addPerson(service, company, { teamRole: 'admin' });
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect(url, { token: company.token, source: 'MEMORY_API_TOKEN' });
  const stage = (caller: Caller, sequence: number) =>
    caller.ask.stageCapture({
      sessionId: 's',
      sequence,
      summary: 'x',
      endedAt: second(sequence),
      metadata: { upTo: sequence },
    });
  assert.deepEqual(await readProgress(client, 's', messages), { sequence: 0, from: 0 });
  for (const sequence of [1, 2]) assert.equal((await stage(company, sequence)).statusCode, 201);
  assert.equal((await stage(other, 3)).statusCode, 201);
  assert.deepEqual(await readProgress(client, 's', messages), { sequence: 2, from: 2 });
});
