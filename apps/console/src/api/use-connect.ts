import { useMutation } from '@tanstack/react-query';
import { answer, api } from './client.js';

/**
 * Leads the browser to the provider of an OAuth credential.
 * @param returnTo whose page it comes back to: the credential's own, or that of what it was made for
 */
export function useConnect(returnTo: 'credential' | 'consumer' = 'credential') {
  return useMutation({
    mutationFn: (credentialId: string) =>
      answer(
        api.POST('/api/v1/credentials/{id}/connect', {
          params: { path: { id: credentialId } },
          body: { return_to: returnTo },
        }),
      ),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  });
}
