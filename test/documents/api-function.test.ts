import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { endProcesses, freePorts, startCommand, temporaryFolder } from '../support/needs/process.ts';
import { withoutCurl } from './guide-service.ts';
import { startJq } from './jq.ts';

/** What a service answers: a body, and the status. */
const ANSWERS: Readonly<Record<string, [status: number, body: string]>> = {
  '/v1/auth/session': [200, '{"teams":[{"id":"team-1","name":"General"}]}'],
  '/v1/team': [200, '{"name":"General"}'],
  '/v1/original': [200, 'first line\n\nlast line\n'],
  '/v1/nothing': [204, ''],
  '/v1/refused': [403, '{"status":403,"code":"forbidden","detail":"You cannot do this. Ask an Owner"}'],
};
const UNAUTHENTICATED = '{"status":401,"code":"unauthenticated","detail":"The token is unknown"}';

after(endProcesses);

describe('the function of the examples', { skip: withoutCurl }, () => {
  let server: Server;
  let jq: Awaited<ReturnType<typeof startJq>>;
  let url: string;
  before(async () => {
    server = createServer(({ headers, url: path = '' }, response) => {
      const isKnown = headers.authorization === 'Bearer the-token';
      const [status, body] = isKnown ? (ANSWERS[path] ?? [404, '{}']) : [401, UNAUTHENTICATED];
      response.writeHead(status).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    jq = await startJq(await temporaryFolder());
  });
  after(() => {
    jq.stop();
    server.close();
  });

  /** What bash prints for commands after it has loaded the function. `still here` shows that it did not end. */
  async function bash(commands: string, env: Record<string, string> = {}) {
    const script = `. docs/guide/api.sh; echo "loaded $?" >&2\n${commands}\necho "still here"`;
    const { PATH = '' } = process.env;
    const shell = startCommand('bash', ['-c', script], {
      env: {
        PATH: [jq.bin, PATH].join(delimiter),
        MEMORY_API_PUBLIC_URL: url,
        MEMORY_API_TOKEN: 'the-token',
        ...env,
      },
    });
    assert.equal(await shell.exited, 0);
    return { printed: shell.stdout, said: shell.stderr };
  }

  test('prints the answer as it is, and knows the Team of the first start', async () => {
    assert.deepEqual(await bash('api team | jq -r .name; echo "$TEAM"; api original; api nothing'), {
      printed: ['General', 'team-1', 'first line', '', 'last line', 'still here'],
      said: ['loaded 0'],
    });
  });

  test('prints one line for a refusal, and fails with the pipe that it begins', async () => {
    assert.deepEqual(await bash('api refused | jq .name; echo "exit code $?"'), {
      printed: ['exit code 1', 'still here'],
      said: ['loaded 0', 'api: 403 forbidden: You cannot do this. Ask an Owner'],
    });
  });

  test('names the variable of a wrong token', async () => {
    assert.deepEqual(await bash('api team | jq .name', { MEMORY_API_TOKEN: 'another-token' }), {
      printed: ['still here'],
      said: [
        'api: 401 unauthenticated (MEMORY_API_TOKEN): The token is unknown',
        'loaded 1',
        'api: 401 unauthenticated (MEMORY_API_TOKEN): The token is unknown',
      ],
    });
  });

  test('says what to do where no service answers', async () => {
    const [port] = await freePorts(1);
    const line = `api: no answer from http://127.0.0.1:${port}: start the service, or set MEMORY_API_PUBLIC_URL to its address`;
    assert.deepEqual(await bash('api team', { MEMORY_API_PUBLIC_URL: `http://127.0.0.1:${port}` }), {
      printed: ['still here'],
      said: [line, 'loaded 1', line],
    });
  });
});
