import assert from 'node:assert/strict';
import { join } from 'node:path';
import { databaseUrl } from './needs/database.ts';
import { createEmptyDatabase } from './needs/own-database.ts';
import { API_TOKEN, printedUrl, serviceFolder, startMain } from './needs/process.ts';
import { TEST_MODEL, writeTestModel } from './test-model.ts';

/** The traceparent of a caller that began a trace. */
export const traceparent = (traceId: string, flags = '01') => `00-${traceId}-00f067aa0ba902b7-${flags}`;

/** A service with a model of its own: on PostgreSQL an API and a worker, otherwise both in one process. */
export async function startTraced(env: Record<string, string>) {
  const cwd = await serviceFolder();
  const own = databaseUrl === undefined ? null : await createEmptyDatabase(databaseUrl);
  await writeTestModel(join(cwd, 'models'));
  const service = startMain('start.ts', {
    cwd,
    env: {
      MEMORY_API_PORT: '0',
      ...(own === null ? {} : { MEMORY_DATABASE_URL: own.url, MEMORY_API_HOST: '127.0.0.1' }),
      MEMORY_API_SERVER_EMBEDDINGS: '1',
      MEMORY_EMBEDDING_MODEL: TEST_MODEL,
      MEMORY_MODEL_DIR: join(cwd, 'models'),
      ...env,
    },
  });
  return { service, url: await printedUrl(service), drop: async () => own?.drop() };
}

/** Sends a request in a trace. */
export async function askTraced<T>(
  url: string,
  path: string,
  traceId: string,
  body: object,
  flags?: string,
): Promise<T> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${API_TOKEN}`,
      'content-type': 'application/json',
      traceparent: traceparent(traceId, flags),
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${answer.status} ${text}`);
  return JSON.parse(text) as T;
}
