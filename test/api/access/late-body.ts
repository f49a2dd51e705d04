import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dependencies } from '../../../core/dependencies.ts';
import type { Database } from '../../../db/driver/database.ts';
import { hashToken } from '../../../shared/tokens.ts';
import type { Method } from '../../support/company.ts';
import { buildTestedApp } from '../../support/schema-compilers.ts';
import type { Person } from '../../support/team.ts';

/** Past the moment within which a request counts as one with its body. */
const LONG_ENOUGH_MS = 1100;

export interface LateAnswer {
  statusCode: number;
  body: string;
  json<T>(): T;
}

export interface Wish {
  caller: Pick<Person, 'headers' | 'token'>;
  method: Method;
  url: string;
  body: object;
}

/**
 * An app on the database of the service, listening, and a way to send it requests whose body ends only a while
 * after something has happened. Called at the head of a test file, like `openTestApp`.
 */
export async function listenForLateBodies(
  service: Dependencies,
): Promise<(wish: Wish, happen: () => Promise<unknown>) => Promise<LateAnswer>> {
  /** Called with the hash of a session's token, in hex, once a request of that session was resolved. */
  const resolved = new Map<string, () => void>();
  const app = await buildTestedApp({ ...service, database: watch(service.database, resolved) });
  before(() => app.listen({ host: '127.0.0.1', port: 0 }));
  after(() => app.close());
  return async (wish, happen) => {
    const { promise: letIn, resolve } = Promise.withResolvers<void>();
    resolved.set(hashToken(wish.caller.token).toString('hex'), resolve);
    const begun = begin(wish, (app.server.address() as AddressInfo).port);
    // An answer that comes before is the end of it: it would be waited for in vain.
    await Promise.race([letIn, begun.answer]);
    await happen();
    await pause(LONG_ENOUGH_MS);
    return begun.finish();
  };
}

/** The database, which tells when a look for the owner of a session has come to its end. */
function watch(database: Database, resolved: ReadonlyMap<string, () => void>): Database {
  return {
    ...database,
    transaction: async (fn, opening) => {
      const looked: string[] = [];
      const result = await database.transaction((tx) => {
        return fn({
          ...tx,
          query: (statement, values = []) => {
            for (const value of values) if (Buffer.isBuffer(value)) looked.push(value.toString('hex'));
            return tx.query(statement, values);
          },
        });
      }, opening);
      for (const hash of looked) resolved.get(hash)?.();
      return result;
    },
  };
}

/** Sends a request except for the end of its body. */
function begin({ caller, method, url, body }: Wish, port: number) {
  const bytes = Buffer.from(JSON.stringify(body));
  const request = openRequest({
    host: '127.0.0.1',
    port,
    path: url,
    method,
    agent: false,
    headers: { ...caller.headers, 'content-type': 'application/json', 'content-length': bytes.length },
  });
  let isAnswered = false;
  const answer = once(request, 'response').then(async ([response]): Promise<LateAnswer> => {
    isAnswered = true;
    const got = await text(response);
    return { statusCode: response.statusCode, body: got, json: () => JSON.parse(got) };
  });
  request.write(bytes.subarray(0, -1));
  return {
    answer,
    finish: (): Promise<LateAnswer> => {
      assert.ok(!isAnswered, 'it was let in by the first look');
      request.end(bytes.subarray(-1));
      return answer;
    },
  };
}
