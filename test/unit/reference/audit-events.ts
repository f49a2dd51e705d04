import { AUDIT_KINDS } from '../../../shared/schemas/audit.ts';
import { code, pageHead, tableText } from './markdown.ts';

const INTRODUCTION = `
Every search and every change inserts an audit event, in the same transaction. Events are never changed or deleted, also
if their subject or its Team is deleted. They contain no content, no token and no password, and no name or
email of a person or a client.

The ids of the hits of a search, and its text if the search asks for that with \`storeQueryText\`, are stored beside the event and
listed in \`detail\`. The text is deleted when the person who asked is erased or the Team is deleted, and both after the days of
\`MEMORY_AUDIT_SEARCH_DAYS\`. The hashes in the event stay.

\`GET /v1/memory/audit\` lists the events of a Team and requires Full access. \`GET /v1/company/audit\` lists those of the
Company. How events are sealed is described in [the decision](../decisions/sealed-audit.md).`;

/** The page about audit events, from the table of their kinds. */
export function auditEventsPage(): string {
  const rows = Object.entries(AUDIT_KINDS).map(([kind, { subjects, meaning }]) => [
    code(kind),
    subjects.map(code).join(', '),
    meaning,
  ]);
  const table = tableText(['Kind', 'Subject', 'Meaning'], rows);
  return [pageHead('Audit events', 'shared/schemas/audit.ts'), INTRODUCTION.trimStart(), '', table, ''].join(
    '\n',
  );
}
