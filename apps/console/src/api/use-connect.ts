import { useMutation } from '@tanstack/react-query';
import { answer, api } from './client.js';

/**
 * Sends the browser to the provider of an OAuth credential.
 * @param returnTo the page that it comes back to: the credential's, or that of its consumer
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
