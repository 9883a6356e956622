import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session.js';

/** A change of what the session says: organizations and projects are named by it on every page. */
export function useSessionChange<Input = void, Data = unknown>(
  change: (input: Input) => Promise<Data>,
): UseMutationResult<Data, Error, Input> {
  const queryClient = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queryClient.invalidateQueries(sessionQuery) });
}
