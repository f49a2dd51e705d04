import type { Cell, Row } from '../row.ts';
import { SERVICE_TOKEN } from '../table.ts';

const other = async ({ targets }: Cell) => targets.otherCompany();

/** Routes of the operator, about the Companies of the deployment. Their events belong to the first Company. */
export const OPERATOR_ROWS: readonly Row[] = [
  { route: 'GET /v1/companies', kind: SERVICE_TOKEN, ok: 200, query: () => 'limit=200' },
  {
    route: 'POST /v1/companies',
    kind: SERVICE_TOKEN,
    ok: 201,
    body: () => ({ name: 'Another Company', ownerEmail: 'another.owner@example.com' }),
  },
  {
    route: 'POST /v1/companies/:id/owner-link',
    kind: SERVICE_TOKEN,
    ok: 201,
    values: other,
    body: () => ({ email: 'another.owner@example.com' }),
  },
  {
    route: 'DELETE /v1/companies/:id',
    kind: SERVICE_TOKEN,
    ok: 204,
    values: other,
    body: ({ name }) => ({ name }),
  },
];
