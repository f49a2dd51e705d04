import type { AuditEvent, AuditKind, AuditSubjectType } from '../../../../shared/schemas/audit.ts';

/* What audit events say in words. A kind that has no sentence does not compile. */

/** What someone did. In braces is the record, as it is called if it has no name. */
const SENTENCES: Readonly<Record<AuditKind, string>> = {
  'auth.login': 'signed in',
  'auth.logout': 'signed out',
  'auth.session_end': 'ended another session',
  'auth.token_create': 'made {a token}',
  'auth.token_rotate': 'gave {a token} a new secret',
  'auth.token_revoke': 'revoked {a token}',
  'auth.password_change': 'changed the password',
  'auth.password_reset': 'set a new password with a reset link',
  'auth.reset_request': 'had a reset link mailed to {a person}',
  'auth.account_change': 'changed the own name or email',
  'auth.join': 'joined a Team with an invite',
  'company.create': 'made the Company',
  'companies.create': 'made another Company',
  'companies.owner_link': 'made a link for the Owner of another Company',
  'companies.end': 'ended another Company',
  'company.rename': 'renamed the Company',
  'company.accept': 'joined the Company with an invitation',
  'company.invite': 'invited {a person} to the Company',
  'company.invite_resend': 'had the invitation of {a person} to the Company mailed again',
  'company.mail_test': 'had a test mail sent',
  'company.invite_revoke': 'revoked the invitation of {a person} to the Company',
  'company.member_role': 'gave {a person} another role in the Company',
  'company.member_remove': 'removed {a person} from the Company',
  'company.member_erase': 'erased {a person}',
  'company.reset_link': 'made a reset link for {a person}',
  'company.access_request': 'asked for access to a Team',
  'company.access_approve': 'approved {an access request}',
  'company.access_deny': 'denied {an access request}',
  'company.grant': 'gave {a person} access to a Team',
  'company.grant_revoke': 'took access to a Team from {a person}',
  'team.create': 'made {a Team}',
  'team.rename': 'renamed {a Team}',
  'team.quota': 'set the quota of {a Team}',
  'team.settings': 'changed the settings of {a Team}',
  'team.archive': 'archived {a Team}',
  'team.restore': 'restored {a Team}',
  'team.delete': 'deleted {a Team}',
  'team.client_create': 'made {a client}',
  'team.client_change': 'renamed or restored {a client}',
  'team.client_archive': 'archived {a client}',
  'team.member_add': 'added {a person} to the Team',
  'team.member_role': 'gave {a person} another role in the Team',
  'team.member_remove': 'removed {a person} from the Team',
  'team.invite': 'invited {a person} to the Team',
  'team.invite_resend': 'had the invite of {a person} mailed again',
  'team.invite_revoke': 'revoked the invite of {a person} to the Team',
  'team.grant': 'gave {a person} access to a client',
  'team.grant_revoke': 'took access to a client from {a person}',
  'memory.search': 'searched',
  'memory.ingest': 'stored {a source}',
  'memory.replace': 'replaced the text of {a source}',
  'memory.embed': 'sent vectors of passages',
  'memory.import': 'sent {a file} for import',
  'memory.import_complete': 'completed {an import}',
  'memory.import_fail': 'could not read {an import}',
  'memory.import_retry': 'queued {an import} again',
  'memory.import_cancel': 'cancelled {an import}',
  'memory.import_forget': 'deleted {an import}',
  'memory.expire': 'archived {a record} that had expired',
  'memory.archive': 'archived {a source}',
  'memory.purge': 'deleted {a record} for good',
  'memory.capture': 'staged {a capture}',
  'memory.claim': 'claimed captures',
  'memory.release': 'released {a batch} of captures',
  'memory.publish': 'published {a memory}',
  'memory.review': 'put {a memory} up for review',
  'memory.discard': 'discarded {a memory}',
  'memory.update': 'changed {a record}',
  'memory.move': 'moved {a record}',
  'memory.renew': 'changed the expiry of {a memory}',
  'memory.feedback': 'gave feedback on {a record}',
  'memory.keep': 'settled the feedback on {a record}',
  'memory.delete': 'archived {a memory}',
  'memory.reopen': 'put {a memory} back into review',
  'memory.unpublish': 'took back {a memory} into review',
  'memory.restore': 'restored {a record}',
  'workspace.write': 'wrote {a file}',
  'workspace.delete': 'deleted {a file}',
  'workspace.index': 'indexed {a file}',
  'workspace.index_fail': 'could not read {a file}',
  'workspace.unindex': 'removed {a file} from the index',
};

/** What records are called beside their name, if not as their type. Without a word, the name is enough. */
const NOUNS: Readonly<Partial<Record<AuditSubjectType, string>>> = {
  agent_token: 'token',
  account: '',
  invite: '',
  company: 'Company',
  team: 'Team',
  query: 'search',
  import: '',
};

const GROUPS: Readonly<Record<string, string>> = {
  auth: 'Sign-in and tokens',
  company: 'Company',
  team: 'Team',
  memory: 'Sources and memories',
  workspace: 'Workspace files',
};

/** What the filter of kinds offers. */
export const KIND_OPTIONS = Object.entries(SENTENCES).map(([value, sentence]) => {
  const name = sentence.replaceAll(/[{}]/g, '');
  const group = GROUPS[value.slice(0, value.indexOf('.'))] ?? 'Others';
  return { value, name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, group };
});

/** The actor of automatic work. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A person who was erased has a pseudonym. */
const formerName = (userId: string) => `Former member ${userId.slice(-6)}`;

/** Who did it. */
export const actorOf = ({ actorId, actorName }: AuditEvent) =>
  actorName ?? (actorId === NOBODY ? 'The service' : formerName(actorId));

/** The names of records that events do not tell, by their ids. */
export type Names = ReadonlyMap<string, string>;

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);

/** The name of the record, if one is known. */
function nameOf({ subjectType, subjectId, subjectName, detail }: AuditEvent, names: Names) {
  if (subjectName !== null) return subjectName;
  if (typeof detail['path'] === 'string') return detail['path'].replace(/^(team|clients\/[^/]*)\//, '');
  if (subjectType === 'account' && subjectId !== null) return formerName(subjectId);
  return names.get(subjectId ?? '') ?? textOf(detail['name']);
}

/**
 * A sentence about an event without its actor: what is before the record, what the record is and its name, what is behind it,
 * and the details that belong to the sentence.
 */
export function tell(event: AuditEvent, names: Names) {
  const { kind, subjectType, subjectId, detail } = event;
  const sentence = (SENTENCES as Readonly<Record<string, string>>)[kind] ?? kind;
  const [before = '', record = '', after = ''] = sentence.split(/[{}]/);
  const type = NOUNS[subjectType as AuditSubjectType] ?? words(subjectType);
  const ids = subjectId === null ? (detail['sourceIds'] ?? detail['captureIds']) : null;
  const name = Array.isArray(ids) || record === '' ? null : nameOf(event, names);
  let noun = record === 'a record' ? `a ${type}` : record;
  if (name !== null) noun = type && `the ${type} `;
  else if (record !== '' && Array.isArray(ids)) noun = `${ids.length} ${type}s`;
  return { before, noun, name, after, more: moreOf(event, names) };
}

function moreOf({ kind, detail }: AuditEvent, names: Names): string | null {
  const { query, from, to, access, role, verdict, code } = detail;
  if (typeof query === 'string') return `“${query}”`;
  const layer = (id: unknown) => (id === null ? 'the Team' : (names.get(inWords(id)) ?? 'a client'));
  if (from !== undefined && to !== undefined)
    return [from, to].map(kind === 'memory.move' ? layer : inWords).join(' → ');
  return [access, role, verdict, code].map(textOf).find((text) => text !== null) ?? null;
}

/** A value in words. */
export function inWords(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(inWords).join(', ') || 'none';
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${words(name)}: ${inWords(one)}`)
    .join('; ');
}

/** `hitIds` and `access_request` as words. */
export const words = (name: string) => name.replaceAll(/_|(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
