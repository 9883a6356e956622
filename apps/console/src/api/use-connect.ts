import { useMutation } from '@tanstack/react-query';
import { answer, api } from './client.js';

/** Leads the browser to the provider of an OAuth credential; it comes back to the credential's page. */
export function useConnect() {
  return useMutation({
    mutationFn: (credentialId: string) =>
      answer(
        api.POST('/api/v1/credentials/{id}/connect', {
          params: { path: { id: credentialId } },
          body: { return_to: 'credential' },
        }),
      ),
    onSuccess: ({ authorization_url }) => window.location.assign(authorization_url),
  });
}
