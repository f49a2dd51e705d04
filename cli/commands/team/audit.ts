import { AuditEvent } from '../../../shared/schemas/audit.ts';
import { AUDIT_KINDS } from '../../../shared/schemas/audit-kinds.ts';
import { parseLimit, readList } from '../../client/read-list.ts';
import { signedInToTeam } from '../../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, TEAM_OPTIONS } from '../../program/command.ts';
import { type Column, table } from '../../terminal/table.ts';
import { toSecond } from '../../terminal/times.ts';

const DEFAULT_LIMIT = 50;

const options = {
  kind: {
    type: 'string',
    value: 'kind',
    examples: Object.keys(AUDIT_KINDS),
    help: 'only events of this kind, such as memory.publish',
  },
  subject: { type: 'string', value: 'id', help: 'only events about the record with this id' },
  limit: { type: 'string', value: 'n', help: `the most events to list, default ${DEFAULT_LIMIT}` },
  ...TEAM_OPTIONS,
} as const;

const COLUMNS: readonly Column<AuditEvent>[] = [
  { title: 'Time (UTC)', value: ({ at }) => toSecond(at) },
  { title: 'Event', value: ({ kind }) => kind },
  {
    title: 'By',
    value: ({ actorId, actorName, tokenId }) =>
      `${actorName ?? actorId}${tokenId === null ? '' : ' (agent token)'}`,
    canShrink: true,
  },
  { title: 'About', value: ({ subjectType, subjectName }) => subjectName ?? subjectType, canShrink: true },
  { title: 'Id', value: ({ subjectId }) => subjectId, role: 'id' },
];

export const audit: Command<typeof options> = {
  section: 'team',
  summary: 'list the audit events of a Team',
  about: `Lists the audit events of a Team, newest first: who searched or changed what, and when. Requires Full access.
With --json, each event has its details.`,
  options,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const limit = parseLimit(values.limit, DEFAULT_LIMIT);
    const { service } = await signedInToTeam(values);
    const query = { kind: values.kind, subjectId: values.subject };
    const items = await readList(service, '/v1/memory/audit', AuditEvent, query, limit);
    if (values.json === true || items.length === 0) return { text: 'No events.', data: { items } };
    const more = items.length === limit ? [`There may be more: --limit lists more than ${limit}.`] : [];
    return { text: [...table(COLUMNS, items), ...more].join('\n'), data: { items } };
  },
};
