import { useQuery } from '@tanstack/react-query';
import { send } from './request.ts';

/** Whether the service sends mail. Undefined until it is known. */
export function useSendsMail(): boolean | undefined {
  const options = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: ({ signal }) => send(null, 'getSignInOptions', [], signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return options.data?.mail;
}
