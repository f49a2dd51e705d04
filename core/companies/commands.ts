import { updateCompanyName } from '../../db/queries/companies.ts';
import type { Identity } from '../../shared/access.ts';
import type { Company } from '../../shared/schemas/companies.ts';
import { companyScope } from '../../shared/scope.ts';
import { lockCompanyAs } from '../access/lock-and-recheck.ts';
import { runCommand } from '../access/run-command.ts';
import type { Dependencies } from '../dependencies.ts';

/**
 * Renames the Company of the caller.
 * @throws ServiceError `unauthenticated`, `company_role_required`
 */
export function renameCompany(
  { database }: Pick<Dependencies, 'database'>,
  caller: Identity,
  name: string,
): Promise<Company> {
  const { companyId: id } = caller;
  return runCommand(database, companyScope(caller), {
    lock: (tx) => lockCompanyAs(tx, 'owner'),
    apply: async (tx, role) => {
      const from = await updateCompanyName(tx, name);
      const result = { id, name, role };
      if (from === name) return { result, audit: [] };
      const detail = { from, to: name };
      return {
        result,
        audit: [{ kind: 'company.rename', subjectType: 'company', subjectId: id, detail }],
      };
    },
  });
}
