import { AUDIT_KINDS, AuditEvent, AuditVerification, SEAL_PATTERN } from '../../shared/schemas/audit.ts';
import { parseLimit, readList } from '../client/requests.ts';
import { signedIn, signedInToTeam } from '../client/signed-in.ts';
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
import { toSecond } from '../terminal/times.ts';

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
