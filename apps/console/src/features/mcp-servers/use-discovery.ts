import type { UseMutationResult } from '@tanstack/react-query';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { useChange } from '../../api/use-change.js';

export type Discovery = UseMutationResult<Schema<'ServerView'>, Error, void>;

/** Asks a server for its tools. */
export const useDiscovery = (id: string): Discovery =>
  useChange(
    () => answer(api.POST('/api/v1/mcp-servers/{id}/discover', { params: { path: { id } } })),
    'mcp-servers',
    'tools',
    'skills',
  );
