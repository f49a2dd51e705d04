// biome-ignore-all format: written by `npm run generate`, from the OpenAPI document.
import type { Static } from 'typebox';
import type { Account, AccountRequest, JoinRequest, Link, LinkRequest, LoginRequest, LogoutRequest, MemberResetLinkRequest, PasswordRequest, ResetLink, ResetLinkRequest, ResetRequest, Session, SessionInfo, SessionRecord } from '../../../shared/schemas/accounts.ts';
import type { AuditEvent, AuditVerification } from '../../../shared/schemas/audit.ts';
import type { CaptureRequest, CaptureResponse, ListedCapture } from '../../../shared/schemas/captures.ts';
import type { Client, ClientChange } from '../../../shared/schemas/clients.ts';
import type { NameRequest } from '../../../shared/schemas/common.ts';
import type { Company } from '../../../shared/schemas/companies.ts';
import type { Batch, ClaimRequest, ClaimResponse, CompleteRequest, CompleteResponse, ReleaseRequest } from '../../../shared/schemas/consolidation.ts';
import type { EmbeddingsClaimRequest, EmbeddingsClaimResponse, EmbeddingsCompleteRequest, EmbeddingsCompleteResponse } from '../../../shared/schemas/embeddings.ts';
import type { FeedbackRequest, GivenFeedback } from '../../../shared/schemas/feedback.ts';
import type { Import, ImportRequest, ImportResponse, RetryRequest } from '../../../shared/schemas/imports.ts';
import type { DecisionRequest, DecisionResponse, ListedMemory, Memory, MemoryVersion } from '../../../shared/schemas/memories.ts';
import type { AccessRequest, ClientGrant, ClientGrantRequest, CompanyGrant, CompanyGrantRequest, CompanyInviteRequest, ErasedMember, Invitation, Invite, InviteRequest, IssuedCompanyInvite, IssuedInvite, Member, NewAccessRequest, RoleRequest } from '../../../shared/schemas/people.ts';
import type { ExpandRequest, ExpandResponse, SearchRequest, SearchResponse } from '../../../shared/schemas/search.ts';
import type { ArchiveRequest, ArchiveResponse, ChangedSource, IngestRequest, IngestResponse, Source, SourceChange, SourceText, TagCount } from '../../../shared/schemas/sources.ts';
import type { Health, Status } from '../../../shared/schemas/status.ts';
import type { CompanyTeamChange, NewTeam, NewTeamRequest, SelectedTeam, Team, TeamChange } from '../../../shared/schemas/teams.ts';
import type { IssuedToken, RotateTokenRequest, Token, TokenRequest } from '../../../shared/schemas/tokens.ts';
import type { FileVersion, Manifest, PullRequest, PullResponse, PushRequest, PushResponse } from '../../../shared/schemas/workspace.ts';
import type { Method, PageOf, Query } from './types.ts';

/** What each operation takes and answers, by its `operationId`. */
export interface Operations {
  getHealth(): Static<typeof Health>;
  checkLiveness(): unknown;
  checkReadiness(): unknown;
  getMetrics(): unknown;
  getOpenApi(): unknown;
  login(body: Static<typeof LoginRequest>): Static<typeof Session>;
  joinTeam(body: Static<typeof JoinRequest>): Static<typeof Session>;
  readLink(body: Static<typeof LinkRequest>): Static<typeof Link>;
  resetPassword(body: Static<typeof ResetRequest>): Static<typeof Session>;
  acceptInvitation(body: Static<typeof JoinRequest>): Static<typeof Session>;
  getSession(): Static<typeof SessionInfo>;
  listSessions(query?: Query<'limit' | 'cursor'>): PageOf<typeof SessionRecord>;
  endSession(id: string): null;
  logout(body: Static<typeof LogoutRequest>): null;
  changePassword(body: Static<typeof PasswordRequest>): null;
  changeAccount(body: Static<typeof AccountRequest>): Static<typeof Account>;
  listTokens(query?: Query<'limit' | 'cursor'>): PageOf<typeof Token>;
  createToken(body: Static<typeof TokenRequest>): Static<typeof IssuedToken>;
  rotateToken(id: string, body: Static<typeof RotateTokenRequest>): Static<typeof IssuedToken>;
  revokeToken(id: string): null;
  sendMcpMessage(body: unknown): unknown;
  createOwnerResetLink(body: Static<typeof ResetLinkRequest>): Static<typeof ResetLink>;
  createMemberResetLink(userId: string, body: Static<typeof MemberResetLinkRequest>): Static<typeof ResetLink>;
  listCompanyAudit(query?: Query<'limit' | 'cursor' | 'kind' | 'subjectId' | 'teamId'>): PageOf<typeof AuditEvent>;
  verifyAudit(query?: Query<'seal'>): Static<typeof AuditVerification>;
  getCompany(): Static<typeof Company>;
  renameCompany(body: Static<typeof NameRequest>): Static<typeof Company>;
  listCompanyGrants(query?: Query<'limit' | 'cursor'>): PageOf<typeof CompanyGrant>;
  giveCompanyGrant(userId: string, teamId: string, body: Static<typeof CompanyGrantRequest>): Static<typeof CompanyGrant>;
  revokeCompanyGrant(userId: string, teamId: string): null;
  listAccessRequests(query?: Query<'limit' | 'cursor'>): PageOf<typeof AccessRequest>;
  requestAccess(body: Static<typeof NewAccessRequest>): Static<typeof AccessRequest>;
  approveAccessRequest(id: string): Static<typeof AccessRequest>;
  denyAccessRequest(id: string): Static<typeof AccessRequest>;
  listInvitations(query?: Query<'limit' | 'cursor'>): PageOf<typeof Invitation>;
  createInvitation(body: Static<typeof CompanyInviteRequest>): Static<typeof IssuedCompanyInvite>;
  revokeInvitation(id: string): null;
  listCompanyMembers(query?: Query<'limit' | 'cursor'>): PageOf<typeof Member>;
  changeCompanyRole(userId: string, body: Static<typeof RoleRequest>): Static<typeof Member>;
  removeCompanyMember(userId: string): null;
  eraseCompanyMember(userId: string): Static<typeof ErasedMember>;
  listTeams(query?: Query<'limit' | 'cursor'>): PageOf<typeof Team>;
  createTeam(body: Static<typeof NewTeamRequest>): Static<typeof NewTeam>;
  getTeam(id: string): Static<typeof Team>;
  renameTeam(id: string, body: Static<typeof CompanyTeamChange>): Static<typeof Team>;
  deleteTeam(id: string): null;
  archiveTeam(id: string): Static<typeof Team>;
  restoreTeam(id: string): Static<typeof Team>;
  listCompanyTokens(query?: Query<'limit' | 'cursor'>): PageOf<typeof Token>;
  revokeCompanyToken(id: string): null;
  listTeamAudit(query?: Query<'limit' | 'cursor' | 'kind' | 'subjectId'>): PageOf<typeof AuditEvent>;
  listCaptures(query?: Query<'limit' | 'cursor' | 'state' | 'sessionId'>): PageOf<typeof ListedCapture>;
  stageCapture(body: Static<typeof CaptureRequest>): Static<typeof CaptureResponse>;
  getCapture(id: string): Static<typeof ListedCapture>;
  listClients(query?: Query<'limit' | 'cursor' | 'state'>): PageOf<typeof Client>;
  createClient(body: Static<typeof NameRequest>): Static<typeof Client>;
  changeClient(id: string, body: Static<typeof ClientChange>): Static<typeof Client>;
  archiveClient(id: string): null;
  listBatches(query?: Query<'limit' | 'cursor'>): PageOf<typeof Batch>;
  releaseBatch(body: Static<typeof ReleaseRequest>): Static<typeof Batch>;
  claimCaptures(body: Static<typeof ClaimRequest>): Static<typeof ClaimResponse>;
  completeCaptures(body: Static<typeof CompleteRequest>): Static<typeof CompleteResponse>;
  claimEmbeddings(body: Static<typeof EmbeddingsClaimRequest>): Static<typeof EmbeddingsClaimResponse>;
  completeEmbeddings(body: Static<typeof EmbeddingsCompleteRequest>): Static<typeof EmbeddingsCompleteResponse>;
  giveFeedback(body: Static<typeof FeedbackRequest>): Static<typeof GivenFeedback>;
  listImports(query?: Query<'limit' | 'cursor' | 'state' | 'clientId'>): PageOf<typeof Import>;
  importFiles(body: Static<typeof ImportRequest>): Static<typeof ImportResponse>;
  getImport(id: string): Static<typeof Import>;
  removeImport(id: string): null;
  retryImport(id: string): Static<typeof Import>;
  retryImports(body: Static<typeof RetryRequest>): Static<typeof ImportResponse>;
  listMemories(query?: Query<'limit' | 'cursor' | 'state' | 'clientId' | 'q' | 'sourceId' | 'createdAfter' | 'createdBefore'>): PageOf<typeof ListedMemory>;
  decideMemory(body: Static<typeof DecisionRequest>): Static<typeof DecisionResponse>;
  getMemory(id: string): Static<typeof Memory>;
  listMemoryVersions(id: string, query?: Query<'limit' | 'cursor'>): PageOf<typeof MemoryVersion>;
  listClientGrants(query?: Query<'limit' | 'cursor'>): PageOf<typeof ClientGrant>;
  giveClientGrant(userId: string, clientId: string, body: Static<typeof ClientGrantRequest>): Static<typeof ClientGrant>;
  revokeClientGrant(userId: string, clientId: string): null;
  listInvites(query?: Query<'limit' | 'cursor'>): PageOf<typeof Invite>;
  createInvite(body: Static<typeof InviteRequest>): Static<typeof IssuedInvite>;
  revokeInvite(id: string): null;
  listTeamMembers(query?: Query<'limit' | 'cursor'>): PageOf<typeof Member>;
  changeTeamRole(userId: string, body: Static<typeof RoleRequest>): Static<typeof Member>;
  removeTeamMember(userId: string): null;
  searchMemory(body: Static<typeof SearchRequest>): Static<typeof SearchResponse>;
  expandChunk(body: Static<typeof ExpandRequest>): Static<typeof ExpandResponse>;
  ingestSource(body: Static<typeof IngestRequest>): Static<typeof IngestResponse>;
  listSources(query?: Query<'limit' | 'cursor' | 'kind' | 'state' | 'clientId' | 'tag' | 'q' | 'occurredAfter' | 'occurredBefore'>): PageOf<typeof Source>;
  getSource(id: string, query?: Query<'limit' | 'cursor'>): Static<typeof SourceText>;
  changeSource(id: string, body: Static<typeof SourceChange>): Static<typeof ChangedSource>;
  archiveSource(id: string): null;
  getOriginal(id: string): unknown;
  archiveSources(body: Static<typeof ArchiveRequest>): Static<typeof ArchiveResponse>;
  restoreSource(id: string): Static<typeof Source>;
  purgeSource(id: string): null;
  purgeMemory(id: string): null;
  listTags(query?: Query<'limit' | 'cursor' | 'clientId'>): PageOf<typeof TagCount>;
  getStatus(): Static<typeof Status>;
  getSelectedTeam(): Static<typeof SelectedTeam>;
  changeSelectedTeam(body: Static<typeof TeamChange>): Static<typeof SelectedTeam>;
  listTeamTokens(query?: Query<'limit' | 'cursor'>): PageOf<typeof Token>;
  revokeTeamToken(id: string): null;
  getManifest(query?: Query<'since' | 'clientId' | 'limit' | 'cursor'>): Static<typeof Manifest>;
  pullFiles(body: Static<typeof PullRequest>): Static<typeof PullResponse>;
  pushFiles(body: Static<typeof PushRequest>): Static<typeof PushResponse>;
  listFileVersions(query?: Query<'path' | 'limit' | 'cursor'>): PageOf<typeof FileVersion>;
}

/** The method and the path of each operation. */
export const ROUTES: { readonly [Name in keyof Operations]: readonly [Method, string] } = {
  getHealth: ['GET', '/v1/health'],
  checkLiveness: ['GET', '/livez'],
  checkReadiness: ['GET', '/readyz'],
  getMetrics: ['GET', '/metrics'],
  getOpenApi: ['GET', '/v1/openapi.json'],
  login: ['POST', '/v1/auth/login'],
  joinTeam: ['POST', '/v1/auth/join'],
  readLink: ['POST', '/v1/auth/link'],
  resetPassword: ['POST', '/v1/auth/reset'],
  acceptInvitation: ['POST', '/v1/company/invitations/accept'],
  getSession: ['GET', '/v1/auth/session'],
  listSessions: ['GET', '/v1/auth/sessions'],
  endSession: ['DELETE', '/v1/auth/sessions/{id}'],
  logout: ['POST', '/v1/auth/logout'],
  changePassword: ['POST', '/v1/auth/password'],
  changeAccount: ['PATCH', '/v1/auth/account'],
  listTokens: ['GET', '/v1/auth/tokens'],
  createToken: ['POST', '/v1/auth/tokens'],
  rotateToken: ['POST', '/v1/auth/tokens/{id}/rotate'],
  revokeToken: ['DELETE', '/v1/auth/tokens/{id}'],
  sendMcpMessage: ['POST', '/v1/mcp'],
  createOwnerResetLink: ['POST', '/v1/company/reset-links'],
  createMemberResetLink: ['POST', '/v1/company/members/{userId}/reset-link'],
  listCompanyAudit: ['GET', '/v1/company/audit'],
  verifyAudit: ['GET', '/v1/company/audit/verify'],
  getCompany: ['GET', '/v1/company'],
  renameCompany: ['PATCH', '/v1/company'],
  listCompanyGrants: ['GET', '/v1/company/grants'],
  giveCompanyGrant: ['PUT', '/v1/company/grants/{userId}/{teamId}'],
  revokeCompanyGrant: ['DELETE', '/v1/company/grants/{userId}/{teamId}'],
  listAccessRequests: ['GET', '/v1/company/access-requests'],
  requestAccess: ['POST', '/v1/company/access-requests'],
  approveAccessRequest: ['POST', '/v1/company/access-requests/{id}/approve'],
  denyAccessRequest: ['POST', '/v1/company/access-requests/{id}/deny'],
  listInvitations: ['GET', '/v1/company/invitations'],
  createInvitation: ['POST', '/v1/company/invitations'],
  revokeInvitation: ['DELETE', '/v1/company/invitations/{id}'],
  listCompanyMembers: ['GET', '/v1/company/members'],
  changeCompanyRole: ['PATCH', '/v1/company/members/{userId}'],
  removeCompanyMember: ['DELETE', '/v1/company/members/{userId}'],
  eraseCompanyMember: ['POST', '/v1/company/members/{userId}/erase'],
  listTeams: ['GET', '/v1/company/teams'],
  createTeam: ['POST', '/v1/company/teams'],
  getTeam: ['GET', '/v1/company/teams/{id}'],
  renameTeam: ['PATCH', '/v1/company/teams/{id}'],
  deleteTeam: ['DELETE', '/v1/company/teams/{id}'],
  archiveTeam: ['POST', '/v1/company/teams/{id}/archive'],
  restoreTeam: ['POST', '/v1/company/teams/{id}/restore'],
  listCompanyTokens: ['GET', '/v1/company/tokens'],
  revokeCompanyToken: ['DELETE', '/v1/company/tokens/{id}'],
  listTeamAudit: ['GET', '/v1/memory/audit'],
  listCaptures: ['GET', '/v1/memory/captures'],
  stageCapture: ['POST', '/v1/memory/captures'],
  getCapture: ['GET', '/v1/memory/captures/{id}'],
  listClients: ['GET', '/v1/team/clients'],
  createClient: ['POST', '/v1/team/clients'],
  changeClient: ['PATCH', '/v1/team/clients/{id}'],
  archiveClient: ['DELETE', '/v1/team/clients/{id}'],
  listBatches: ['GET', '/v1/memory/consolidation/batches'],
  releaseBatch: ['POST', '/v1/memory/consolidation/release'],
  claimCaptures: ['POST', '/v1/memory/consolidation/claim'],
  completeCaptures: ['POST', '/v1/memory/consolidation/complete'],
  claimEmbeddings: ['POST', '/v1/memory/embeddings/claim'],
  completeEmbeddings: ['POST', '/v1/memory/embeddings/complete'],
  giveFeedback: ['POST', '/v1/memory/feedback'],
  listImports: ['GET', '/v1/memory/imports'],
  importFiles: ['POST', '/v1/memory/imports'],
  getImport: ['GET', '/v1/memory/imports/{id}'],
  removeImport: ['DELETE', '/v1/memory/imports/{id}'],
  retryImport: ['POST', '/v1/memory/imports/{id}/retry'],
  retryImports: ['POST', '/v1/memory/imports/retry'],
  listMemories: ['GET', '/v1/memory/memories'],
  decideMemory: ['POST', '/v1/memory/memories'],
  getMemory: ['GET', '/v1/memory/memories/{id}'],
  listMemoryVersions: ['GET', '/v1/memory/memories/{id}/versions'],
  listClientGrants: ['GET', '/v1/team/grants'],
  giveClientGrant: ['PUT', '/v1/team/grants/{userId}/{clientId}'],
  revokeClientGrant: ['DELETE', '/v1/team/grants/{userId}/{clientId}'],
  listInvites: ['GET', '/v1/team/invites'],
  createInvite: ['POST', '/v1/team/invites'],
  revokeInvite: ['DELETE', '/v1/team/invites/{id}'],
  listTeamMembers: ['GET', '/v1/team/members'],
  changeTeamRole: ['PATCH', '/v1/team/members/{userId}'],
  removeTeamMember: ['DELETE', '/v1/team/members/{userId}'],
  searchMemory: ['POST', '/v1/memory/search'],
  expandChunk: ['POST', '/v1/memory/expand'],
  ingestSource: ['POST', '/v1/memory/ingest'],
  listSources: ['GET', '/v1/memory/sources'],
  getSource: ['GET', '/v1/memory/sources/{id}'],
  changeSource: ['PATCH', '/v1/memory/sources/{id}'],
  archiveSource: ['DELETE', '/v1/memory/sources/{id}'],
  getOriginal: ['GET', '/v1/memory/sources/{id}/original'],
  archiveSources: ['POST', '/v1/memory/sources/archive'],
  restoreSource: ['POST', '/v1/memory/sources/{id}/restore'],
  purgeSource: ['POST', '/v1/memory/sources/{id}/purge'],
  purgeMemory: ['POST', '/v1/memory/memories/{id}/purge'],
  listTags: ['GET', '/v1/memory/tags'],
  getStatus: ['GET', '/v1/memory/status'],
  getSelectedTeam: ['GET', '/v1/team'],
  changeSelectedTeam: ['PATCH', '/v1/team'],
  listTeamTokens: ['GET', '/v1/team/tokens'],
  revokeTeamToken: ['DELETE', '/v1/team/tokens/{id}'],
  getManifest: ['GET', '/v1/workspace/manifest'],
  pullFiles: ['POST', '/v1/workspace/pull'],
  pushFiles: ['POST', '/v1/workspace/push'],
  listFileVersions: ['GET', '/v1/workspace/versions'],
};
