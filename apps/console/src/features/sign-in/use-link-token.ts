import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sessionQuery, signInByLink } from '../../api/session.js';

/** Signs in by the token after the `#`, which is taken out of the address at once: it works once and is nobody else's. */
export function useLinkToken(returnTo: string): { isPending: boolean; error: Error | null } {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const used = useRef<string>(undefined);
  const { mutate, isPending, error } = useMutation({
    mutationFn: signInByLink,
    onSuccess: async () => {
      await queryClient.resetQueries(sessionQuery);
      await navigate({ href: returnTo, replace: true });
    },
  });
  useEffect(() => {
    const take = (): void => {
      const token = new URLSearchParams(window.location.hash.slice(1)).get('token');
      if (!token || used.current === token) return;
      used.current = token;
      window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
      mutate(token);
    };
    take();
    // Who stands on this page already and opens a link stays on it: the browser changes the hash alone.
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  return { isPending, error };
}
