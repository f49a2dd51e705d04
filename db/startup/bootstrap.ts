import type { Config } from '../../shared/config.ts';
import { newId } from '../../shared/ids.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { lockStartupStep } from './lock.ts';

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
 * @param warn is given what the operator should know: another embedding model, settings without effect
 */
export async function resolvePrincipal(
  database: Database,
  config: Pick<Config, 'companyName' | 'teamName' | 'ownerEmail' | 'embeddingModel'> &
    Partial<Pick<Config, 'firstStartVariables'>>,
  warn: (message: string) => void = () => undefined,
): Promise<Principal> {
  const { principal, warnings } = await database.transaction(async (tx) => {
    await lockStartupStep(database, tx, 'bootstrap');
    const change = await adoptEmbeddingModel(tx, config.embeddingModel);
    const [found] = await tx.query<Principal>(
      `select id as "userId", company_id as "companyId", email, password_hash is not null as "hasPassword"
         from identity.account where is_principal`,
    );
    if (found === undefined) {
      const company = await createCompany(tx, { ...config, principal: true });
      return { principal: { ...company, email: config.ownerEmail, hasPassword: false }, warnings: [] };
    }
    return { principal: found, warnings: [...change, ...(await listIgnoredSettings(tx, found, config))] };
  });
  for (const warning of warnings) warn(warning);
  return principal;
}

/** The settings of the first start that are set and differ from what there is now, a line for each. */
async function listIgnoredSettings(
  tx: Queryable,
  { companyId, email }: Principal,
  config: Parameters<typeof resolvePrincipal>[1],
): Promise<string[]> {
  const [now] = await tx.query<{ company: string; hasTeam: boolean }>(
    `select name as company,
            exists (select from identity.team t where t.company_id = c.id and t.name = $2) as "hasTeam"
       from identity.company c where c.id = $1`,
    [companyId, config.teamName],
  );
  const differs = {
    MEMORY_COMPANY_NAME: config.companyName !== now?.company && 'the Company has another name',
    MEMORY_TEAM_NAME: now?.hasTeam !== true && 'the Company has no Team of this name',
    MEMORY_OWNER_EMAIL: config.ownerEmail !== email && 'its Owner has another email',
  };
  return (config.firstStartVariables ?? []).flatMap((name) => {
    const why = differs[name];
    return why === false ? [] : [`${name} is ignored: it applies at the first start only, and ${why}`];
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

/**
 * Notes the model of the vectors. If it is another than before, a job marks the chunks that need one of it.
 * @returns a line that tells of the change; none without one
 */
async function adoptEmbeddingModel(tx: Queryable, model: string): Promise<string[]> {
  const [before] = await tx.query<{ model: string }>(
    'select embedding_model as model from memory.deployment',
  );
  if (before?.model === model) return [];
  await tx.query(
    `insert into memory.deployment (embedding_model, swept_at) values ($1, now())
     on conflict (only_row) do update
       set embedding_model = excluded.embedding_model, adopted_at = now(), swept_at = null
       where memory.deployment.embedding_model <> excluded.embedding_model`,
    [model],
  );
  if (before === undefined) return [];
  const { chunks, embedded } = await countVectors(tx, model);
  // Chunks of a source that is being stored have vectors and are not among those counted.
  const waiting = Math.max(0, chunks - embedded);
  const most = embedded >= MAX_COUNTED ? 'at most ' : '';
  return [
    `the embedding model is ${model} and was ${before.model}: ${most}${waiting} of ${chunks} chunks wait for a vector of it. ` +
      `Searches find them by keyword only until then. If the change is not meant, set MEMORY_EMBEDDING_MODEL to ` +
      `${before.model}`,
  ];
}

/** Vectors counted of each Team for a line of the log: the start must not wait for a count of millions. */
const MAX_COUNTED = 10_000;

/** How many chunks there are, of all Teams, and how many vectors of a model: of each Team at most `MAX_COUNTED`. */
async function countVectors(tx: Queryable, model: string): Promise<{ chunks: number; embedded: number }> {
  const [counts] = await tx.query<{ chunks: number; embedded: number }>(
    // Chunks are summed from what triggers noted. Vectors are counted by the index of each Team, because the index of
    // no column leads with the model. Usually there are no vectors; a model that was in use before can have millions.
    `select (select coalesce(sum(n), 0)::bigint from memory.layer_tally where part = 'chunks') as chunks,
            (select coalesce(sum(v.n), 0)::bigint from identity.team t
               cross join lateral (select count(*) as n from (
                 select from memory.chunk_embedding e where e.team_id = t.id and e.model = $1 limit $2) few) v
               ) as embedded`,
    [model, MAX_COUNTED],
  );
  return counts ?? { chunks: 0, embedded: 0 };
}
