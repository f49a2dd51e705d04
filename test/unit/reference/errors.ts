import { STATUS_CODES } from 'node:http';
import { ERRORS } from '../../../shared/errors.ts';
import { code, pageHead, tableText } from './markdown.ts';

const INTRODUCTION = `
Every error is a JSON document of the type \`application/problem+json\` (RFC 9457). The same code always has the same
status and title.

| Member | Meaning |
| --- | --- |
| \`type\` | \`urn:team-memory:problem:\` and the code |
| \`title\` | The title of the code, from the table below |
| \`status\` | The HTTP status |
| \`detail\` | What is wrong with this request. Without more to say, the title |
| \`code\` | The code. Programs compare this member, and no text |
| \`requestId\` | The id of the request. The header \`x-request-id\` and the log have it too |
| \`errors\` | Only with some \`invalid_request\`: a list of \`path\` (a JSON pointer to the field) and \`message\` |

\`workspace_conflict\` also has \`conflicts\`: the current version of each file that has changed. The answers 429 and 503
have the header \`Retry-After\`, in seconds.

When a refusal is 401, 403 or 404 is described in [access](../contributing/access.md).`;

/** The page about errors, from their table. */
export function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([name, { status, title }]) => [
    `${status} ${STATUS_CODES[status]}`,
    code(name),
    title,
  ]);
  const table = tableText(['Status', 'Code', 'Title'], rows);
  return [pageHead('Errors', 'shared/errors.ts'), INTRODUCTION.trimStart(), '', table, ''].join('\n');
}
