import { type Static, Type } from 'typebox';
import { AUDIT_KINDS } from './audit-kinds.ts';
import { Id, Nullable, OneOf, PageQuery, Time } from './common.ts';

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
      'they are deleted; their hashes stay.',
  }),
  at: Time,
});
export type AuditEvent = Static<typeof AuditEvent>;

export const AuditQuery = Type.Object({
  ...PageQuery,
  kind: Type.Optional(Type.String({ description: 'only events of this kind' })),
  subjectId: Type.Optional(Type.String()),
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
