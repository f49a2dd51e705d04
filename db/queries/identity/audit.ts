import { newId } from '../../../shared/ids.ts';
import type { AuditEvent } from '../../../shared/schemas/audit.ts';
import type { AuditKindOf, AuditSubjectType } from '../../../shared/schemas/audit-kinds.ts';
import type { LayerId } from '../../../shared/scope.ts';
import { prepared, type Queryable, type ScopedTransaction } from '../../driver/database.ts';
import { layerKind, wireTime } from '../fragments/layers.ts';
import type { ListPart } from '../fragments/list-part.ts';

interface EntryFields {
  subjectId: string | null;
  /** The layer of a subject of a Team; absent for a subject of the Company. */
  layerId?: LayerId;
  /** The Team that an event of the Company is about. An event of a Team's scope has the Team of the scope. */
  teamId?: string;
  /**
   * Must not contain content, tokens or passwords, because events are kept after their subjects are deleted; and no name
   * or email of a person and no name of an agent token, which can name a person, because nobody can erase it here. Lists
   * join names when they are read.
   */
  detail?: Record<string, unknown>;
}

/** An audit event to insert: its kind, with a type of subject that the kind can have. */
export type AuditEntry = {
  [S in AuditSubjectType]: EntryFields & { kind: AuditKindOf<S>; subjectType: S };
}[AuditSubjectType];

/** Who made a change, and in which Team. The Team is null for a change of the Company. */
interface Actor {
  companyId: string;
  userId: string;
  teamId: string | null;
}

const INSERTION = prepared(
  `insert into memory.audit_event
       (company_id, id, kind, actor_id, team_id, client_id, layer, subject_type, subject_id, detail)
     select $1, r.id, r.kind, $2, r.team_id, r.client_id, r.layer, r.subject_type, r.subject_id, r.detail
       from jsonb_to_recordset($3::jsonb) as r
         (id uuid, kind text, team_id uuid, client_id uuid, layer text, subject_type text, subject_id uuid, detail jsonb)`,
);

/** The statement that inserts events of an actor. */
function insertion({ companyId, userId, teamId }: Actor, entries: readonly AuditEntry[]) {
  const rows = entries.map((entry) => ({
    id: newId(),
    kind: entry.kind,
    team_id: teamId ?? entry.teamId ?? null,
    client_id: entry.layerId ?? null,
    layer: entry.layerId === undefined ? null : layerKind(entry.layerId),
    subject_type: entry.subjectType,
    subject_id: entry.subjectId,
    detail: entry.detail ?? {},
  }));
  return { text: INSERTION, values: [companyId, userId, JSON.stringify(rows)] };
}

/**
 * Inserts events of the scope's user, in the transaction of the change that they record. Does not wait for the
 * statement, which saves a round trip. If it fails, the transaction fails.
 */
export function insertAuditEvents(tx: ScopedTransaction, entries: readonly AuditEntry[]): void {
  const { scope } = tx;
  const { text, values } = insertion({ teamId: null, ...scope }, entries);
  const inserted = tx.query(text, values);
  // The driver reports the error when it commits. Until then a rejection must not count as unhandled.
  inserted.catch(() => undefined);
}

/** Inserts the events of a new Company, as the owner of the tables: nobody can have a scope in it yet. */
export async function insertFirstAuditEvents(
  tx: Queryable,
  owner: Pick<Actor, 'companyId' | 'userId'>,
  entries: readonly AuditEntry[],
): Promise<void> {
  const { text, values } = insertion({ ...owner, teamId: null }, entries);
  await tx.query(text, values);
}

/** Which events a list contains. A field that is null does not restrict it. Ids are UUIDs. */
export interface AuditFilter {
  kind: string | null;
  subjectId: string | null;
  /** Only in the scope of a Company. The scope of a Team lists the events of its Team. */
  teamId: string | null;
}

/**
 * Lists events, newest first: of the Company, or, in a Team's scope, the events of that Team that the caller can read.
 * An agent token that is limited to clients gets only events about something in a layer: other events can name other
 * clients, such as a search of all clients, an invite with grants, or another token.
 */
export async function listAuditEvents(
  tx: ScopedTransaction,
  part: ListPart,
  filter: AuditFilter,
): Promise<AuditEvent[]> {
  const { scope } = tx;
  const inTeam = 'teamId' in scope;
  // Events from before had an email or the name of an agent token in their detail, which no list shows.
  const rows = await tx.query<Omit<AuditEvent, 'at'> & { at: Date }>(
    `select e.id, e.kind, e.actor_id as "actorId", actor.name as "actorName", e.token_id as "tokenId",
            e.team_id as "teamId", e.subject_type as "subjectType", e.subject_id as "subjectId",
            coalesce(subject.name, invite.email, token.name) as "subjectName", e.layer, e.client_id as "clientId",
            e.detail - case e.kind when 'auth.token_create' then '{name}' else '{email}' end::text[] as detail, e.at
       from (select * from memory.audit_event
              where company_id = $1 and ($2::uuid is null or team_id = $2) and ($3::text is null or kind = $3)
                and ($4::uuid is null or subject_id = $4) and ($5::uuid is null or id < $5)
                and (not $6 or client_id is null or client_id = any ($7::uuid[]))
                and (not $9 or layer is not null)
              order by id desc limit $8) e
       left join identity.account actor
         on actor.company_id = e.company_id and actor.id = e.actor_id and actor.erased_at is null
       left join identity.account subject
         on e.subject_type = 'account' and subject.company_id = e.company_id and subject.id = e.subject_id
        and subject.erased_at is null
       left join identity.invite invite
         on e.subject_type = 'invite' and invite.company_id = e.company_id and invite.id = e.subject_id
       left join identity.agent_token token
         on e.subject_type = 'agent_token' and token.company_id = e.company_id and token.team_id = e.team_id
        and token.id = e.subject_id
      order by e.id desc`,
    [
      scope.companyId,
      inTeam ? scope.teamId : filter.teamId,
      filter.kind,
      filter.subjectId,
      part.after,
      inTeam,
      inTeam ? scope.reads.clients : [],
      part.limit,
      inTeam && scope.tokenClients !== null,
    ],
  );
  return rows.map((row) => ({ ...row, at: wireTime(row.at) }));
}
