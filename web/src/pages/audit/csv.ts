import type { AuditEvent } from '../../../../shared/schemas/audit.ts';
import { type Args, send } from '../../app/request.ts';
import { saveAs } from '../../app/save.ts';
import { actorOf } from './sentences.ts';

type ListName = 'listTeamAudit' | 'listCompanyAudit';

/** More events than this belong into an export of the database. */
export const MOST_ROWS = 100_000;

const HEAD =
  'at,kind,actorName,actorId,tokenId,subjectType,subjectId,subjectName,teamId,clientName,detail,id';
const COLUMNS = HEAD.split(',') as readonly (keyof AuditEvent)[];

/** A cell. A spreadsheet would run what begins like a formula. */
function cell(value: AuditEvent[keyof AuditEvent]): string {
  const text = value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * Reads all events of a list, and has the browser save them as CSV.
 * @returns how many events the file has
 * @throws Refusal, Unreachable
 */
export async function downloadCsv(
  team: string | null,
  name: ListName,
  query: object,
  progress: (read: number) => void,
): Promise<number> {
  const lines = [HEAD];
  let cursor: string | null | undefined;
  while (cursor !== null && lines.length <= MOST_ROWS) {
    const page = await send(team, name, [{ ...query, cursor, limit: 200 }] as Args<ListName>);
    for (const event of page.items) {
      const row = { ...event, actorName: actorOf(event) };
      lines.push(COLUMNS.map((column) => cell(row[column])).join(','));
    }
    cursor = page.nextCursor;
    progress(lines.length - 1);
  }
  const content = new Blob([`${lines.join('\r\n')}\r\n`], { type: 'text/csv' });
  saveAs(`audit-${new Date().toISOString().slice(0, 10)}.csv`, content);
  return lines.length - 1;
}
