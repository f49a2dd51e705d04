import type { Row } from '../row.ts';
import { OPERATOR_ROWS } from './companies.ts';
import { COMPANY_ROWS } from './company.ts';
import { CONSOLIDATION_ROWS } from './consolidation.ts';
import { LIBRARY_ROWS } from './library.ts';
import { MEMORY_ROWS } from './memory.ts';
import { OPEN_ROWS } from './open.ts';
import { REMOVAL_ROWS } from './removal.ts';
import { TEAM_ROWS } from './team.ts';
import { TOKEN_ROWS } from './tokens.ts';
import { WORKSPACE_ROWS } from './workspace.ts';

/** The rows of every route. */
export const ALL_ROWS: readonly Row[] = [
  ...OPEN_ROWS,
  ...OPERATOR_ROWS,
  ...COMPANY_ROWS,
  ...TEAM_ROWS,
  ...TOKEN_ROWS,
  ...LIBRARY_ROWS,
  ...REMOVAL_ROWS,
  ...CONSOLIDATION_ROWS,
  ...MEMORY_ROWS,
  ...WORKSPACE_ROWS,
];
