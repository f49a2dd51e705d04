import { type Static, Type } from 'typebox';
import { Id, Nullable, OneOf, PageQuery, Time } from './common.ts';

/** What happened, who did it, and to what. Outlives what it tells of. */
export const AuditEvent = Type.Object({
  id: Id,
  kind: Type.String(),
  actorId: Id,
  teamId: Nullable(Id),
  subjectType: Type.String(),
  subjectId: Nullable(Id),
  layer: Nullable(OneOf(['team', 'client'])),
  clientId: Nullable(Id),
  detail: Type.Record(Type.String(), Type.Unknown()),
  at: Time,
});
export type AuditEvent = Static<typeof AuditEvent>;

export const AuditQuery = Type.Object({
  ...PageQuery,
  kind: Type.Optional(Type.String()),
  subjectId: Type.Optional(Type.String()),
});
export const CompanyAuditQuery = Type.Object({
  ...AuditQuery.properties,
  teamId: Type.Optional(Type.String()),
});

/** What a walk along the chain of hashes over a Company's audit events found. */
export const AuditVerification = Type.Object({
  events: Type.Integer({ description: 'of the Company, sealed or not' }),
  unsealed: Type.Integer({
    description: 'of them, those that have no seal yet: the worker seals every minute',
  }),
  firstBreak: Nullable({ ...Id, description: 'the event at which the chain does not hold' }),
  head: Nullable(
    Type.Object({ sequence: Type.Integer(), hash: Type.String({ description: 'SHA-256, hexadecimal' }) }),
  ),
});
export type AuditVerification = Static<typeof AuditVerification>;
