import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditEventsPage } from './audit-events.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { mcpToolsPage } from './mcp-tools.ts';
import { terminalClientPage } from './terminal-client.ts';

/** The folder of the generated pages. */
export const REFERENCE_FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'reference');

/** The generated pages, by file name. `npm run docs` writes them, and a test compares them with the files. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'audit-events.md': auditEventsPage,
  'configuration.md': configurationPage,
  'errors.md': errorsPage,
  'mcp-tools.md': mcpToolsPage,
  'terminal-client.md': terminalClientPage,
};

if (import.meta.main) {
  for (const [file, page] of Object.entries(PAGES)) await writeFile(join(REFERENCE_FOLDER, file), page());
}
