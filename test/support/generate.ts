import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenAPIV3_1 } from 'openapi-types';
import { dumpSchema, REVISION_FILE, renewedRevision, SCHEMA_FILE } from '../db/schema-dump.ts';
import { PAGES } from '../unit/reference/pages.ts';
import { buildTestApp } from './app.ts';
import { OPERATIONS_FILE, operationsText } from './client/write-operations.ts';
import { openPrepared } from './needs/database.ts';
import { ROOT } from './root.ts';

/*
 * `npm run generate`: writes every committed file that is made from others. A test compares each of them with what it
 * would write.
 */

const write = (file: string, text: string) => writeFile(join(ROOT, file), text);

// First: the database below is made with it.
await write(REVISION_FILE, await renewedRevision());
for (const [file, page] of Object.entries(PAGES)) await write(file, page());
const service = await buildTestApp(await openPrepared(), undefined);
await write(SCHEMA_FILE, await dumpSchema(service.database));
const document = (await service.app.inject('/v1/openapi.json')).json<OpenAPIV3_1.Document>();
await write(OPERATIONS_FILE, await operationsText(document));
await service.close();
