import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildTestApp } from '../../support/app.ts';
import { openPrepared } from '../../support/needs/database.ts';
import { ROOT } from '../../support/root.ts';
import { readDocument } from './document.ts';

/** The kept document. `npm run openapi` writes it, and a test compares it with the one that the service makes. */
export const OPENAPI_FILE = join(ROOT, 'docs', 'reference', 'openapi.json');

/** The text of the file for a document. */
export const documentText = (document: object) => `${JSON.stringify(document, null, 2)}\n`;

if (import.meta.main) {
  const service = await buildTestApp(await openPrepared(), undefined);
  await writeFile(OPENAPI_FILE, documentText(await readDocument(service.app)));
  await service.close();
}
