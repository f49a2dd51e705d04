import { type Static, Type } from 'typebox';
import { Id, Moment, Nullable, OneOf, PageQuery, Time } from './common.ts';

interface AuditKindDefinition {
  subjects: readonly string[];
  meaning: string;
  withdraws?: true;
}

/**
 * Every kind of audit event: the types of its subject, and what happened. The types of entries and the description of
 * the API are made from these. To add a kind, define it here; an entry of another kind does not compile. `withdraws` marks a
 * change after which somebody can read less of the Team: no replica that lacks it is read from then on.
 */
export const AUDIT_KINDS = {
  'auth.login': { subjects: ['session'], meaning: 'A person logged in.' },
  'auth.logout': {
    subjects: ['session'],
    meaning: 'A person logged out of this session or of all sessions.',
  },
  'auth.session_end': {
    subjects: ['session'],
    meaning:
      'A person ended another session of theirs, or a new session replaced the one that was used longest ago.',
  },
  'auth.token_create': { subjects: ['agent_token'], meaning: 'A person created an agent token.' },
  'auth.token_rotate': { subjects: ['agent_token'], meaning: 'An agent token got a new secret.' },
  'auth.token_revoke': {
    subjects: ['agent_token'],
    meaning:
      'An agent token was revoked by a person, because its owner lost access to the Team, or by a reset of the password of its owner.',
  },
  'auth.password_change': { subjects: ['account'], meaning: 'A person changed their password.' },
  'auth.password_reset': {
    subjects: ['account'],
    meaning:
      'A person set a new password with a reset link. The detail has how many of their agent tokens were revoked by that.',
  },
  'auth.reset_request': {
    subjects: ['account'],
    meaning:
      'A reset link was made to be mailed, because somebody asked for one with the email of the account.',
  },
  'auth.account_change': { subjects: ['account'], meaning: 'A person changed their name or their email.' },
  'auth.join': { subjects: ['account'], meaning: 'A person accepted an invite to a Team.' },
  'company.create': { subjects: ['company'], meaning: 'The Company was created, at the first start.' },
  'company.rename': { subjects: ['company'], meaning: 'The Company got another name.' },
  'company.accept': { subjects: ['account'], meaning: 'A person accepted an invitation to the Company.' },
  'company.invite': { subjects: ['invite'], meaning: 'An invitation to the Company was made.' },
  'company.invite_resend': {
    subjects: ['invite'],
    meaning: 'An invitation to the Company was mailed again.',
  },
  'company.mail_test': {
    subjects: ['account'],
    meaning: 'A Company Owner had a test mail sent to themselves.',
  },
  'company.invite_revoke': { subjects: ['invite'], meaning: 'An invitation to the Company was revoked.' },
  'company.member_role': { subjects: ['account'], meaning: 'A person got another role in the Company.' },
  'company.member_remove': { subjects: ['account'], meaning: 'A person was removed from the Company.' },
  'company.member_erase': {
    subjects: ['account'],
    meaning: 'A person was erased: the account was closed, and what names the person was deleted.',
  },
  'company.reset_link': { subjects: ['account'], meaning: 'A reset link for an account was made.' },
  'company.access_request': { subjects: ['access_request'], meaning: 'A Company Admin requested access.' },
  'company.access_approve': { subjects: ['access_request'], meaning: 'An access request was approved.' },
  'company.access_deny': { subjects: ['access_request'], meaning: 'An access request was denied.' },
  'company.grant': { subjects: ['account'], meaning: 'A Company Admin got a Company grant on a Team.' },
  'company.grant_revoke': { subjects: ['account'], meaning: 'A Company grant was revoked.' },
  'companies.create': {
    subjects: ['company'],
    meaning:
      'The operator made another Company. The event is in the audit of the first one, as those that follow.',
  },
  'companies.owner_link': {
    subjects: ['company'],
    meaning:
      'The operator made a link with which somebody becomes an Owner of a Company, or an Owner sets a password.',
  },
  'companies.end': { subjects: ['company'], meaning: 'The operator ended a Company.' },
  'team.create': { subjects: ['team'], meaning: 'A Team was created.' },
  'team.rename': { subjects: ['team'], meaning: 'A Team got another name.' },
  'team.quota': { subjects: ['team'], meaning: 'A Company Owner set the quota of a Team.' },
  'team.settings': { subjects: ['team'], meaning: 'Settings of a Team were changed.' },
  'team.archive': { subjects: ['team'], meaning: 'A Team was archived.' },
  'team.restore': { subjects: ['team'], meaning: 'An archived Team was restored.' },
  'team.delete': { subjects: ['team'], meaning: 'A Team was deleted.' },
  'team.client_create': { subjects: ['client'], meaning: 'A client was created.' },
  'team.client_change': { subjects: ['client'], meaning: 'A client was renamed, or restored.' },
  'team.client_archive': { subjects: ['client'], meaning: 'A client was archived.' },
  'team.member_add': {
    subjects: ['account'],
    meaning: 'A member of the Company got a role in the Team at once.',
  },
  'team.member_role': { subjects: ['account'], meaning: 'A member got another role in the Team.' },
  'team.member_remove': { subjects: ['account'], meaning: 'A member was removed from the Team.' },
  'team.invite': { subjects: ['invite'], meaning: 'An invite to a Team was made.' },
  'team.invite_resend': { subjects: ['invite'], meaning: 'An invite to a Team was mailed again.' },
  'team.invite_revoke': { subjects: ['invite'], meaning: 'An invite to a Team was revoked.' },
  'team.grant': { subjects: ['account'], meaning: 'A member got a Team grant on a client.' },
  'team.grant_revoke': { subjects: ['account'], meaning: 'A Team grant was revoked.' },
  'memory.search': { subjects: ['query'], meaning: 'A search was answered.' },
  'memory.ingest': { subjects: ['source'], meaning: 'A source was stored.' },
  'memory.replace': { subjects: ['source'], meaning: 'The text of a source was replaced.' },
  'memory.embed': { subjects: ['batch'], meaning: 'A caller sent the vectors of a batch of passages.' },
  'memory.import': { subjects: ['import'], meaning: 'A file was accepted for import.' },
  'memory.import_complete': { subjects: ['import'], meaning: 'An import was completed.' },
  'memory.import_fail': { subjects: ['import'], meaning: 'An import failed.' },
  'memory.import_retry': { subjects: ['import'], meaning: 'A failed import was queued again.' },
  'memory.import_cancel': { subjects: ['import'], meaning: 'A queued import was cancelled.' },
  'memory.import_forget': { subjects: ['import'], meaning: 'A failed or cancelled import was deleted.' },
  'memory.expire': {
    withdraws: true,
    subjects: ['memory', 'source'],
    meaning: 'A memory or a source that had expired was archived.',
  },
  'memory.archive': {
    withdraws: true,
    subjects: ['source'],
    meaning: 'A source was archived, or several at once: then the detail has their ids.',
  },
  'memory.purge': {
    withdraws: true,
    subjects: ['memory', 'source'],
    meaning: 'A memory or a source was deleted for good, with everything that has its text.',
  },
  'memory.capture': { subjects: ['capture'], meaning: 'A capture was staged.' },
  'memory.claim': { subjects: ['batch'], meaning: 'Captures were claimed for consolidation.' },
  'memory.release': { subjects: ['batch'], meaning: 'A batch was released: its captures are staged again.' },
  'memory.publish': { subjects: ['memory'], meaning: 'A memory was published.' },
  'memory.review': { subjects: ['memory'], meaning: 'A memory was made that waits for a decision.' },
  'memory.discard': {
    subjects: ['memory', 'batch'],
    meaning: 'A memory in review was discarded, or a consolidation discarded captures.',
  },
  'memory.update': {
    subjects: ['memory', 'source'],
    meaning: 'A published memory was changed, or fields of a source, such as its title.',
  },
  'memory.move': {
    withdraws: true,
    subjects: ['memory', 'source'],
    meaning: 'A memory or a source was moved to another layer. The detail has both; null is the Team layer.',
  },
  'memory.renew': { subjects: ['memory'], meaning: 'A memory got another expiry.' },
  'memory.feedback': {
    subjects: ['memory', 'source'],
    meaning: 'A caller told that a hit of a search was useful, wrong or outdated.',
  },
  'memory.keep': {
    subjects: ['memory', 'source'],
    meaning: 'The feedback on a memory or a source was settled, and nothing else changed.',
  },
  'memory.delete': { withdraws: true, subjects: ['memory'], meaning: 'A published memory was archived.' },
  'memory.reopen': { subjects: ['memory'], meaning: 'A discarded memory was put back into review.' },
  'memory.unpublish': {
    withdraws: true,
    subjects: ['memory'],
    meaning: 'A published memory was put back into review.',
  },
  'memory.restore': {
    subjects: ['memory', 'source'],
    meaning:
      'An earlier text of a memory was published again, or a memory whose successor was put back into review; or an archived source was restored.',
  },
  'workspace.write': { subjects: ['file'], meaning: 'A workspace file got a new version.' },
  'workspace.delete': { withdraws: true, subjects: ['file'], meaning: 'A workspace file was deleted.' },
  'workspace.index': {
    subjects: ['file'],
    meaning: 'The text of a workspace file was stored as a source, or replaced the text of its source.',
  },
  'workspace.index_fail': { subjects: ['file'], meaning: 'A workspace file could not be read.' },
  'workspace.unindex': {
    withdraws: true,
    subjects: ['file'],
    meaning: 'The source of a workspace file was removed, because its text is no longer current.',
  },
} as const satisfies Record<string, AuditKindDefinition>;

type Kinds = typeof AUDIT_KINDS;
export type AuditKind = keyof Kinds;
export type AuditSubjectType = Kinds[AuditKind]['subjects'][number];
/** The kinds of events whose subject can have this type. */
export type AuditKindOf<S extends AuditSubjectType> = {
  [K in AuditKind]: S extends Kinds[K]['subjects'][number] ? K : never;
}[AuditKind];

/** Whether somebody can read less of the Team after a change of this kind. */
export const isWithdrawal = (kind: AuditKind): boolean => 'withdraws' in AUDIT_KINDS[kind];

const kinds = Object.entries(AUDIT_KINDS).map(([kind, { meaning }]) => `- \`${kind}\`: ${meaning}`);

/** Who did what to which record. The event remains when the record is deleted. */
export const AuditEvent = Type.Object({
  id: Id,
  kind: Type.String({ description: `What happened. Later versions can add kinds.\n\n${kinds.join('\n')}` }),
  actorId: Id,
  actorName: Nullable(
    Type.String(),
    'the present name of the person; null for the service itself, and for a person who was erased',
  ),
  tokenId: Nullable(Id, 'the agent token that acted for the actor; null for a person'),
  teamId: Nullable(Id),
  subjectType: Type.String(),
  subjectId: Nullable(Id),
  subjectName: Nullable(
    Type.String(),
    'the present name of the person, client or agent token, or the email of the invite, that the event is about; null ' +
      'for other records, and for what was erased or deleted',
  ),
  layer: Nullable(OneOf(['team', 'client'])),
  clientId: Nullable(Id),
  clientName: Nullable(
    Type.String(),
    'the present name of the client; null without one, and if it was deleted',
  ),
  detail: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'What else is known. Of a search, `hitIds`, `passageIds` and `query` are stored beside the event, and missing once ' +
      'they are deleted; their hashes stay. Events of one `POST /v1/memory/sources/batch` have the same `batchId`.',
  }),
  at: Time,
});
export type AuditEvent = Static<typeof AuditEvent>;

export const AuditQuery = Type.Object({
  ...PageQuery,
  kind: Type.Optional(Type.String({ description: 'only events of this kind' })),
  kinds: Type.Optional(
    Type.String({
      maxLength: 2000,
      description:
        'kinds of events, separated by commas. `!memory.search` leaves one out; only such ones mean all others',
    }),
  ),
  subjectId: Type.Optional(Type.String()),
  actorId: Type.Optional(Type.String({ description: 'only what this user did' })),
  since: Type.Optional(Moment('only what happened then or later; a day counts from its first moment in UTC')),
  until: Type.Optional(Moment('only what happened then or earlier; a day counts to its last moment in UTC')),
});
export const CompanyAuditQuery = Type.Object({
  ...AuditQuery.properties,
  teamId: Type.Optional(Type.String()),
});

/** A seal as `audit-verify` prints it. Its number has at most 15 digits, which a JavaScript number holds exactly. */
export const SEAL_PATTERN = /^[1-9][0-9]{0,14}:[0-9a-f]{64}$/;

export const AuditVerificationQuery = Type.Object({
  seal: Type.Optional(
    Type.String({
      description: 'a seal that was noted before: its number, a colon, and its hash, hexadecimal',
    }),
  ),
});

/** The result of verifying the hash chain of a Company's audit events. */
export const AuditVerification = Type.Object({
  events: Type.Integer({ description: 'number of events of the Company, sealed or not' }),
  unsealed: Type.Integer({
    description: 'number of events without a seal; the worker seals new events every minute',
  }),
  firstBreak: Nullable({ ...Id, description: 'the first event whose hash does not match the chain' }),
  head: Nullable(
    Type.Object({ sequence: Type.Integer(), hash: Type.String({ description: 'SHA-256, hexadecimal' }) }),
  ),
  containsSeal: Type.Optional(
    Type.Boolean({
      description:
        'whether the chain has the `seal` of the request, before its first break; absent without one. A seal that is ' +
        'missing means that events were removed from the end, that the chain was rewritten, or that an older state of ' +
        'the database was restored',
    }),
  ),
});
export type AuditVerification = Static<typeof AuditVerification>;
