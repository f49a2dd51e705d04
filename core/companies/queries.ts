import { withoutScope } from '../../db/driver/database.ts';
import { call } from '../../db/queries/call.ts';
import type { ListPart } from '../../db/queries/common.ts';
import { listCompanies as selectCompanies } from '../../db/queries/companies.ts';
import { readList } from '../../db/queries/query-list.ts';
import type { HostedCompany } from '../../shared/schemas/companies.ts';
import type { CompanyScope } from '../../shared/scope.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Lists all Companies of the deployment, newest first.
 * @param operator the scope of the server principal; another one gets none
 */
export function listCompanies(
  { database }: Pick<Dependencies, 'database'>,
  operator: CompanyScope,
  part: ListPart,
): Promise<HostedCompany[]> {
  return readList(database, operator, part, (tx) => selectCompanies(tx, part));
}

/** Whether the deployment has more than one Company, so that what is of all of them is not shown to one. */
export async function hasSeveralCompanies({ database }: Pick<Dependencies, 'database'>): Promise<boolean> {
  return (await withoutScope(database, (tx) => call(tx, 'identity.count_companies', 2))) > 1;
}
