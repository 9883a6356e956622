import type { UseMutationResult } from '@tanstack/react-query';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { useChange } from '../../api/use-change.js';

export type Discovery = UseMutationResult<Schema<'ServerView'>, Error, void>;

/** The keys of servers and what they provide. */
export const provided = ['mcp-servers', 'tools', 'skills'];

/** Asks a server for its tools. */
export const useDiscovery = (id: string): Discovery =>
  useChange(() => answer(api.POST('/api/v1/mcp-servers/{id}/discover', { params: { path: { id } } })), ...provided);
