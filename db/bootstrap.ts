import type { Config } from '../shared/config.ts';
import { newId } from '../shared/ids.ts';
import type { Database, Queryable } from './database.ts';
import { holdStartupLock } from './startup-lock.ts';

/** The Company Owner as whom the service's own token acts. */
export interface Principal {
  userId: string;
  companyId: string;
  email: string;
  hasPassword: boolean;
}

/**
 * Finds the server principal or, at the first start, makes it with its Company and Team. Processes that start
 * at once wait for the first. Runs as the owner of the tables: at this point there is no one to act for.
 */
export function resolvePrincipal(
  database: Database,
  config: Pick<Config, 'companyName' | 'teamName' | 'ownerEmail' | 'embeddingModel'>,
): Promise<Principal> {
  return database.transaction(async (tx) => {
    await holdStartupLock(database, tx, 'bootstrap');
    await adoptEmbeddingModel(tx, config.embeddingModel);
    const [found] = await tx.query<Principal>(
      `select id as "userId", company_id as "companyId", email, password_hash is not null as "hasPassword"
         from identity.account where is_principal`,
    );
    if (found !== undefined) return found;
    const company = await createCompany(tx, { ...config, principal: true });
    return { ...company, email: config.ownerEmail, hasPassword: false };
  });
}

export interface NewCompany {
  companyName: string;
  teamName: string;
  ownerEmail: string;
  principal: boolean;
}

/** Makes a Company with its Owner and a first Team that the Owner owns. */
export async function createCompany(
  tx: Queryable,
  company: NewCompany,
): Promise<{ companyId: string; userId: string; teamId: string }> {
  const companyId = newId();
  const userId = newId();
  const teamId = newId();
  await tx.query('insert into identity.company (id, name) values ($1, $2)', [companyId, company.companyName]);
  await tx.query(
    `insert into identity.account (company_id, id, email, name, role, is_principal)
     values ($1, $2, $3, $4, 'owner', $5)`,
    [companyId, userId, company.ownerEmail, 'Owner', company.principal],
  );
  await tx.query('insert into identity.team (company_id, id, name) values ($1, $2, $3)', [
    companyId,
    teamId,
    company.teamName,
  ]);
  await tx.query(
    `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'owner')`,
    [companyId, teamId, userId],
  );
  await tx.query(
    `insert into memory.audit_event (company_id, id, kind, actor_id, team_id, subject_type, subject_id)
     values ($1, $2, 'company.create', $3, null, 'company', $1), ($1, $4, 'team.create', $3, $5, 'team', $5)`,
    [companyId, newId(), userId, newId(), teamId],
  );
  return { companyId, userId, teamId };
}

/** Notes the model of the vectors. If it is another than before, a job marks the chunks that need one of it. */
async function adoptEmbeddingModel(tx: Queryable, model: string): Promise<void> {
  await tx.query(
    `insert into memory.deployment (embedding_model, swept_at) values ($1, now())
     on conflict (only_row) do update
       set embedding_model = excluded.embedding_model, adopted_at = now(), swept_at = null
       where memory.deployment.embedding_model <> excluded.embedding_model`,
    [model],
  );
}
