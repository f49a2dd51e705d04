import { type Config, ConfigError } from '../../shared/config.ts';
import { foldName, VISIBLE_CHARACTER } from '../../shared/formats/names.ts';
import { newId } from '../../shared/ids.ts';
import { SETTINGS } from '../../shared/settings/definitions.ts';
import { faultOf } from '../../shared/settings/read-settings.ts';
import { exampleOf } from '../../shared/settings/setting.ts';
import type { Database, Queryable } from '../driver/database.ts';
import { insertFirstAuditEvents } from '../queries/audit.ts';
import { lockStartupStep } from './lock.ts';

/** The server principal: the Company Owner that a request with the service's own token acts as. */
export interface Principal {
  userId: string;
  companyId: string;
  email: string;
  hasPassword: boolean;
}

/**
 * Finds the server principal. At the first start, creates it with its Company and Team. Processes that start at the
 * same time run this one after another. Runs as the owner of the tables, because there is no account to act for yet.
 * @param warn called with each warning for the operator: a changed embedding model, a setting that is ignored
 * @throws ConfigError at the first start, if a name has no visible character
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
      assertVisibleNames(config);
      const company = await createCompany(tx, { ...config, principal: true });
      return { principal: { ...company, email: config.ownerEmail, hasPassword: false }, warnings: [] };
    }
    return { principal: found, warnings: [...change, ...(await listIgnoredSettings(tx, found, config))] };
  });
  for (const warning of warnings) warn(warning);
  return principal;
}

/** Only at the first start: an existing service ignores these settings, and must not fail because of them. */
function assertVisibleNames({ companyName, teamName }: Pick<Config, 'companyName' | 'teamName'>): void {
  const names = [
    [SETTINGS.companyName, companyName],
    [SETTINGS.teamName, teamName],
  ] as const;
  const faults = names.flatMap(([setting, name]) =>
    VISIBLE_CHARACTER.test(name)
      ? []
      : [faultOf(setting.variable, 'a name with a visible character', exampleOf(setting))],
  );
  if (faults.length > 0) throw new ConfigError(faults);
}

/** Returns a line for each setting of the first start that is set and differs from the current value. */
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

/** Inserts a Company with its Owner and a first Team, owned by the same account. */
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
  await tx.query('insert into identity.team (company_id, id, name, folded_name) values ($1, $2, $3, $4)', [
    companyId,
    teamId,
    company.teamName,
    foldName(company.teamName),
  ]);
  await tx.query(
    `insert into identity.team_member (company_id, team_id, user_id, role) values ($1, $2, $3, 'owner')`,
    [companyId, teamId, userId],
  );
  await insertFirstAuditEvents(tx, { companyId, userId }, [
    { kind: 'company.create', subjectType: 'company', subjectId: companyId },
    { kind: 'team.create', subjectType: 'team', subjectId: teamId, teamId },
  ]);
  return { companyId, userId, teamId };
}

/**
 * Stores the model of the vectors. If the model has changed, a job marks the chunks that need a vector of the new
 * model.
 * @returns a line about the change, or no line if the model has not changed
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
  // Chunks of a source that is loading can have vectors, but are not in the count of chunks. So this can be negative.
  const waiting = Math.max(0, chunks - embedded);
  const most = embedded >= MAX_COUNTED ? 'at most ' : '';
  return [
    `the embedding model is ${model} and was ${before.model}: ${most}${waiting} of ${chunks} chunks wait for a vector of it. ` +
      `Searches find them by keyword only until then. If you did not intend the change, set MEMORY_EMBEDDING_MODEL to ` +
      `${before.model}`,
  ];
}

/** Vectors counted in each Team at most. The count is for a log line, and start-up must not wait for millions. */
const MAX_COUNTED = 10_000;

/** Counts the chunks of all Teams, and the vectors of a model, at most `MAX_COUNTED` in each Team. */
async function countVectors(tx: Queryable, model: string): Promise<{ chunks: number; embedded: number }> {
  const [counts] = await tx.query<{ chunks: number; embedded: number }>(
    // The number of chunks is the sum of the figures that triggers keep. Vectors are counted Team by Team, because no
    // index starts with the model. A new model usually has no vectors, but one that was in use before can have
    // millions.
    `select (select coalesce(sum(n), 0)::bigint from memory.layer_tally where part = 'chunks') as chunks,
            (select coalesce(sum(v.n), 0)::bigint from identity.team t
               cross join lateral (select count(*) as n from (
                 select from memory.chunk_embedding e where e.team_id = t.id and e.model = $1 limit $2) few) v
               ) as embedded`,
    [model, MAX_COUNTED],
  );
  return counts ?? { chunks: 0, embedded: 0 };
}
