import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/client.ts';

/** The identity provider at which people may sign in, if one is configured. */
export function useProvider() {
  const { data } = useQuery({
    queryKey: ['ways'],
    queryFn: () => get('/api/v1/session/ways'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.openid ?? null;
}
