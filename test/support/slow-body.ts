import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { RECHECK_AFTER_MS } from '../../api/http/recheck-guards.ts';
import type { Dependencies } from '../../core/dependencies.ts';
import type { Request } from './access-changes.ts';
import { buildTestedApp } from './schema-compilers.ts';
import type { outcome } from './sign-in.ts';

export type Answer = Parameters<typeof outcome>[0];

/**
 * Sends a request to an app on the database of the service. The end of its body is sent only after the caller was
 * resolved, `happen` has run, and the guards have to check again.
 */
export async function sendSlowly(
  t: { after(fn: () => unknown): void },
  service: Dependencies,
  [caller, method, path, body = {}]: Request,
  happen: () => Promise<unknown>,
): Promise<Answer> {
  const resolved = Promise.withResolvers<void>();
  const { database } = service;
  const app = await buildTestedApp({
    ...service,
    database: {
      ...database,
      query: <R extends object>(text: string, values?: readonly unknown[]) =>
        database.query<R>(text, values).finally(resolved.resolve),
    },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = {
    ...caller.headers,
    'content-type': 'application/json',
    'content-length': bytes.length,
  };
  const request = openRequest({ host: '127.0.0.1', port, path, method, agent: false, headers });
  let isAnswered = false;
  const answer = once(request, 'response').then(async ([response]): Promise<Answer> => {
    isAnswered = true;
    const received = await text(response);
    return { statusCode: response.statusCode, body: received, json: () => JSON.parse(received) };
  });
  request.write(bytes.subarray(0, -1));
  await Promise.race([resolved.promise, answer]);
  await happen();
  await pause(RECHECK_AFTER_MS + 100);
  assert.ok(!isAnswered, 'the request was answered before its body arrived');
  request.end(bytes.subarray(-1));
  return answer;
}
