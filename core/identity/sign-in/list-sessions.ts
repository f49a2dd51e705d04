import { readOnce } from '../../../db/driver/database.ts';
import type { ListPart } from '../../../db/queries/fragments/list-part.ts';
import { listSessions as selectSessions } from '../../../db/queries/identity/sessions.ts';
import type { SessionRecord } from '../../../shared/schemas/identity.ts';
import type { CompanyScope } from '../../../shared/scope.ts';
import type { Dependencies } from '../../dependencies.ts';

/**
 * Lists the sessions of the caller that have not expired, newest first.
 * @param currentId the session of the request, if it was sent with the token of a session
 */
export async function listSessions(
  { database, config }: Pick<Dependencies, 'config' | 'database'>,
  scope: CompanyScope,
  part: ListPart,
  currentId: string | undefined,
): Promise<SessionRecord[]> {
  const sessions = await readOnce(database, scope, (tx) => selectSessions(tx, part, config));
  return sessions.map((session) => ({ ...session, current: session.id === currentId }));
}
