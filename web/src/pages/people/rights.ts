import type { Member } from '../../../../shared/schemas/people.ts';
import { useAll } from '../../app/data.ts';
import { type Session, type Team, useSessionContext } from '../../app/session.tsx';
import type { Where } from './places.ts';

export type Role = Member['role'];
/** The names of the roles, strongest first. */
export const ROLES: Readonly<Record<Role, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' };
export const withArticle = (role: Role) => (role === 'member' ? 'a Member' : `an ${ROLES[role]}`);

/**
 * What the person can do about people, or about one of them. `manages`: see who can open what, remove and revoke, in an
 * archived Team too. `changes`: to invite, and everything else. `gives`: about access by grants.
 */
export function rightsIn(
  of: Where,
  { session, team }: { session: Session; team: Team | null },
  about?: { userId?: string; role: Role },
) {
  const isOwner = session.company.role === 'owner';
  const all: readonly Role[] = ['owner', 'admin', 'member'];
  if (of === 'company')
    return {
      manages: session.company.role !== 'member',
      changes: isOwner,
      roles: isOwner ? all : [],
      removes: isOwner && about?.userId !== session.user.id,
      gives: isOwner && ('give' as const),
    };
  const manages = team?.access === 'full';
  const changes = manages && team.state === 'active';
  // Only Owners appoint, change and remove Owners.
  const appoints = isOwner || team?.role === 'owner';
  const isInReach = about?.role !== 'owner' || appoints;
  return {
    manages,
    changes,
    roles: changes && isInReach ? all.slice(appoints ? 0 : 1) : [],
    removes: manages && isInReach,
    gives: changes ? ('give' as const) : ('take' as const),
  };
}

/** What the person can do about the people and clients of the Team. */
export const useRights = () => rightsIn('team', useSessionContext());

/** Whether one of the texts contains what is sought, in any case. */
export const matches = (sought: string | undefined, texts: readonly string[]) =>
  texts.some((text) => text.toLowerCase().includes((sought ?? '').trim().toLowerCase()));

/** For lists in the order of names. */
export const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);

/**
 * The names of people or Teams by their ids.
 * @param gone in place of the name of one that is not there any more
 */
export function useNames(of: 'listTeamMembers' | 'listCompanyMembers' | 'listTeams', gone: string) {
  const { items, query } = useAll(of, {});
  const names = new Map(items.map((one) => ['userId' in one ? one.userId : one.id, one.name]));
  const isRead = query.isSuccess && !query.hasNextPage;
  return (id: string) => names.get(id) ?? (isRead ? gone : '…');
}
