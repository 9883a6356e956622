import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../../api/session.js';

/** A change to what the session contains: every page reads the names of organizations and projects from it. */
export function useSessionChange<Input = void, Data = unknown>(
  change: (input: Input) => Promise<Data>,
): UseMutationResult<Data, Error, Input> {
  const queryClient = useQueryClient();
  return useMutation({ mutationFn: change, onSettled: () => queryClient.invalidateQueries(sessionQuery) });
}
