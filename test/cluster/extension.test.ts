import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { checkBackend } from '../../db/startup/check-backend.ts';
import { readConfig } from '../../shared/config.ts';
import { endServers } from './servers/debian.ts';
import { SERVICE_USER, startPostgres } from './servers/postgres.ts';

after(endServers);

test('--check asks for pgvector in the schema public, and needs no right to create it if it is there', async () => {
  const server = await startPostgres();
  await server.createDatabase('service');
  const config = readConfig({
    MEMORY_API_TOKEN: 'test-token-of-the-service',
    MEMORY_DATABASE_URL: server.url('service'),
  });
  const extension = async () => {
    const lines = await Array.fromAsync(checkBackend(config));
    return lines.find(({ name }) => name === 'extension')?.text ?? '';
  };
  /** Runs what a superuser is asked to run in the database. */
  const runWhatItSays = async (refusal: RegExp) => {
    const [, statement] = refusal.exec(await extension()) ?? [];
    assert.ok(statement, await extension());
    await server.query(statement, 'service');
  };
  await server.query('drop extension vector', 'service');
  await runWhatItSays(/^pgvector is not in the database: a superuser runs there: (create .*)$/);
  assert.match(await extension(), /^pgvector 0\.[0-9.]+$/);

  // Tables name its types with the schema, so a search path that has another schema does not help.
  await server.query('create schema extensions; alter extension vector set schema extensions', 'service');
  await server.query(`alter role ${SERVICE_USER} set search_path = public, extensions`, 'service');
  await runWhatItSays(/^pgvector is in the schema extensions: a superuser runs there: (alter .*)$/);
  assert.match(await extension(), /^pgvector 0\.[0-9.]+$/);
});
