import { useAll } from './data.ts';
import { useSession } from './session.tsx';

/**
 * The names of people or Teams by their ids.
 * @param gone in place of the name of one that is not there any more
 * @param isNeeded otherwise they are not read
 */
export function useNames(
  of: 'listTeamMembers' | 'listCompanyMembers' | 'listTeams',
  gone: string,
  isNeeded = true,
) {
  const { items, isRead } = useAll(of, {}, isNeeded);
  const names = new Map(items.map((one) => ['userId' in one ? one.userId : one.id, one.name]));
  return (id: string) => names.get(id) ?? (isRead ? gone : '…');
}

/** The names of people by their ids, as they are in a sentence. Those who manage the Company can be outside the Team. */
export function usePerson() {
  const { user, company } = useSession();
  const list = company.role === 'member' ? 'listTeamMembers' : 'listCompanyMembers';
  const nameOf = useNames(list, 'someone outside the Team');
  return (id: string) => (id === user.id ? 'you' : nameOf(id));
}
