import { useAll } from './data.ts';
import { useSession } from './session.tsx';

/** The names of people by their ids, as they are in a sentence. Those who manage the Company can be outside the Team. */
export function usePerson(): (id: string) => string {
  const { user, company } = useSession();
  const { items, query } = useAll(company.role === 'member' ? 'listTeamMembers' : 'listCompanyMembers', {});
  const names = new Map(items.map(({ userId, name }) => [userId, name]));
  return (id) => {
    if (id === user.id) return 'you';
    return names.get(id) ?? (query.isSuccess && !query.hasNextPage ? 'someone outside the Team' : '…');
  };
}
