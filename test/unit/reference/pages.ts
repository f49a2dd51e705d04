import { auditEventsPage } from './audit-events.ts';
import { configurationPage } from './configuration.ts';
import { errorsPage } from './errors.ts';
import { mcpToolsPage } from './mcp-tools.ts';
import { terminalClientPage } from './terminal-client.ts';

/** The generated pages, each by its path. `npm run generate` writes them. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'docs/reference/audit-events.md': auditEventsPage,
  'docs/reference/configuration.md': configurationPage,
  'docs/reference/errors.md': errorsPage,
  'docs/reference/mcp-tools.md': mcpToolsPage,
  'docs/reference/terminal-client.md': terminalClientPage,
};
