import Fastify, { type FastifyInstance } from 'fastify';
import type { Database } from '../../db/driver/database.ts';
import { newId } from '../../shared/ids.ts';
import type { PushRequest } from '../../shared/schemas/workspace.ts';

const BODY_LIMIT = 32 * 1024 * 1024;
/** Values of a row that is inserted. */
const COLUMNS = 4;

/**
 * The least that can copy contents over HTTP into the table of the workspace and back: JSON taken apart, base64
 * decoded, one insert of all contents; one select, base64, JSON. It checks nothing, and no one.
 */
export function bareCopies(database: Database): FastifyInstance {
  const companyId = newId();
  const app = Fastify({ bodyLimit: BODY_LIMIT });
  app.post('/push', async ({ body }) => {
    const { files } = body as PushRequest;
    const rows = files.map((_, index) => {
      const first = index * COLUMNS;
      return `($${first + 1}::uuid, decode($${first + 2}, 'hex'), $${first + 3}::int, $${first + 4}::bytea)`;
    });
    const values = files.flatMap(({ sha256, contentBase64 = '' }) => {
      const content = Buffer.from(contentBase64, 'base64');
      return [companyId, sha256, content.length, content];
    });
    await database.query(
      `insert into memory.workspace_blob (company_id, sha256, bytes, content) values ${rows.join(', ')}`,
      values,
    );
    return {};
  });
  app.post('/pull', async ({ body }) => {
    const rows = await database.query<{ sha256: Buffer; content: Buffer }>(
      `select sha256, content from memory.workspace_blob
        where company_id = $1 and sha256 = any (array(select decode(h, 'hex') from unnest($2::text[]) as h))`,
      [companyId, (body as { sha256: string[] }).sha256],
    );
    const files = rows.map(({ sha256, content }) => ({
      sha256: sha256.toString('hex'),
      contentBase64: content.toString('base64'),
    }));
    return { files };
  });
  return app;
}
