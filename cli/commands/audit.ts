import { AUDIT_KINDS, AuditEvent, AuditVerification, SEAL_PATTERN } from '../../shared/schemas/audit.ts';
import { parseLimit, readCountedList } from '../client/requests.ts';
import { findMember, signedIn, signedInToTeam } from '../client/signed-in.ts';
import {
  type Command,
  CREDENTIAL_NOTE,
  type Options,
  SERVICE_OPTIONS,
  TEAM_OPTIONS,
} from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';
import { counted } from '../terminal/output.ts';
import { type Column, table } from '../terminal/table.ts';
import { parseDateOrAge, toSecond } from '../terminal/times.ts';
import { COUNT_OPTION, endLines } from './lists.ts';

const DEFAULT_LIMIT = 50;

const options = {
  kind: {
    type: 'string',
    multiple: true,
    value: 'kind',
    examples: Object.keys(AUDIT_KINDS),
    help: 'only events of this kind, such as memory.publish; can be repeated',
  },
  'not-kind': {
    type: 'string',
    multiple: true,
    value: 'kind',
    examples: Object.keys(AUDIT_KINDS),
    help: 'no events of this kind, such as memory.search; can be repeated',
  },
  subject: { type: 'string', value: 'id', help: 'only events about the record with this id' },
  actor: { type: 'string', value: 'email', help: 'only what this member did, by email, name or id' },
  since: {
    type: 'string',
    value: 'time',
    help: 'only what happened then or later: a date (from its beginning in UTC), a time, or how long ago, such as 7d',
  },
  until: {
    type: 'string',
    value: 'time',
    help: 'only what happened then or earlier: a date (to its end in UTC), a time, or how long ago',
  },
  limit: { type: 'string', value: 'n', help: `the most events to list, default ${DEFAULT_LIMIT}` },
  ...COUNT_OPTION,
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
    const since = parseDateOrAge('since', values.since);
    const until = parseDateOrAge('until', values.until);
    const { service } = await signedInToTeam(values);
    const kinds = [...(values.kind ?? []), ...(values['not-kind'] ?? []).map((kind) => `!${kind}`)];
    const [onlyKind] = kinds.length === 1 ? (values.kind ?? []) : [];
    const query = {
      // An older service knows only this filter, and ignores the other.
      kind: onlyKind,
      kinds: onlyKind === undefined && kinds.length > 0 ? kinds.join(',') : undefined,
      subjectId: values.subject,
      actorId: values.actor === undefined ? undefined : await findMember(service, values.actor),
      since,
      until,
    };
    const counting = { limit, isCounted: values.count === true };
    const list = await readCountedList(service, '/v1/memory/audit', AuditEvent, query, counting);
    const shown = list.items.length === 0 ? ['No events.'] : table(COLUMNS, list.items);
    return { text: [...shown, ...endLines(list, limit)].join('\n'), data: list };
  },
};

/** The service checks all audit events of the Company before it answers. */
const TIMEOUT_MS = 300_000;

const OPTIONS = {
  seal: {
    type: 'string',
    value: 'seal',
    help: 'fail if the chain does not contain this seal, which was printed or logged before: its number, a colon, its hash',
  },
  ...SERVICE_OPTIONS,
} as const satisfies Options;

export const auditVerify: Command<typeof OPTIONS> = {
  section: 'operator',
  summary: 'verify that no audit event was changed or removed',
  about: `Verifies the hash chain of the Company's audit events, and prints its last seal. If the chain is broken, prints the
first broken event and exits with code 1. For Company Owners.

Only a seal that was noted elsewhere shows events that were removed from the end of the chain, or a chain that was
rewritten: --seal checks it, and exits with code 1 if the chain does not contain it.`,
  options: OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { seal } = values;
    if (seal !== undefined && !SEAL_PATTERN.test(seal)) {
      throw new CommandError(
        '--seal: expected a number, a colon and 64 hexadecimal digits, as audit-verify prints it',
      );
    }
    const { service } = await signedIn(values);
    const query = seal === undefined ? '' : `?seal=${seal}`;
    const data = await service.get(`/v1/company/audit/verify${query}`, AuditVerification, {
      timeoutMs: TIMEOUT_MS,
    });
    const failure = findFailure(data, seal);
    return failure === null ? { text: describeChain(data, seal), data } : { text: '', data, failure };
  },
};

function findFailure(
  { events, firstBreak, head, containsSeal }: AuditVerification,
  seal: string | undefined,
): CommandError | null {
  if (firstBreak !== null) {
    return new CommandError(
      `the audit chain is broken at event ${firstBreak}: it was changed, removed or moved (${counted(events, 'event')})`,
    );
  }
  if (seal === undefined || containsSeal === true) return null;
  if (containsSeal === undefined) {
    return new CommandError('--seal: the service does not check seals; upgrade it');
  }
  const last = head === null ? 'nothing is sealed' : `its last seal is ${head.sequence}:${head.hash}`;
  return new CommandError(
    `the audit chain does not contain the seal ${seal}: events were removed from its end, it was rewritten, or an older ` +
      `database was restored (${last})`,
  );
}

function describeChain({ events, unsealed, head }: AuditVerification, seal: string | undefined): string {
  return [
    `${counted(events, 'audit event')}, ${unsealed} of them not sealed yet. The chain is intact.`,
    ...(seal === undefined ? [] : [`The chain contains the seal ${seal}.`]),
    ...(head === null ? [] : [`seal ${head.sequence}:${head.hash}`]),
  ].join('\n');
}
