import { newId } from '../../shared/ids.ts';
import type { LayerId } from '../../shared/scope.ts';
import type { ScopedTransaction } from '../database.ts';

/** Every kind of event that is recorded so far. */
export type AuditKind =
  | 'auth.login'
  | 'auth.logout'
  | 'auth.password_reset'
  | 'company.reset_link'
  | 'memory.search'
  | 'memory.ingest'
  | 'memory.replace'
  | 'memory.embed'
  | 'memory.import'
  | 'memory.import_complete'
  | 'memory.import_fail';

export interface AuditEntry {
  kind: AuditKind;
  subjectType: 'session' | 'account' | 'query' | 'source' | 'import' | 'batch';
  subjectId: string | null;
  /** Where the subject lies, for subjects of a Team; left out for those of the Company. */
  layer?: LayerId;
  /** The Team that an event of the Company is about; events of a Team's scope have that one. */
  teamId?: string;
  /** Never content, a token or a password: events outlive what they tell of. */
  detail?: Record<string, unknown>;
}

/** Records events of the scope's user, in the transaction of the change that they tell of. */
export async function insertAuditEvents(
  tx: ScopedTransaction,
  entries: readonly AuditEntry[],
): Promise<void> {
  const { scope } = tx;
  const rows = entries.map((entry) => ({
    id: newId(),
    kind: entry.kind,
    team_id: 'teamId' in scope ? scope.teamId : (entry.teamId ?? null),
    client_id: entry.layer ?? null,
    layer: entry.layer === undefined ? null : entry.layer === null ? 'team' : 'client',
    subject_type: entry.subjectType,
    subject_id: entry.subjectId,
    detail: entry.detail ?? {},
  }));
  await tx.query(
    `insert into memory.audit_event
       (company_id, id, kind, actor_id, team_id, client_id, layer, subject_type, subject_id, detail)
     select $1, r.id, r.kind, $2, r.team_id, r.client_id, r.layer, r.subject_type, r.subject_id, r.detail
       from jsonb_to_recordset($3::jsonb) as r
         (id uuid, kind text, team_id uuid, client_id uuid, layer text, subject_type text, subject_id uuid, detail jsonb)`,
    [scope.companyId, scope.userId, JSON.stringify(rows)],
  );
}
