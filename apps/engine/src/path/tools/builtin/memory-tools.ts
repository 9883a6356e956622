import type { ContactMemories, MemoryOwner } from '../../memories/contact-memory.repository.js';
import { failure, type ToolFailure, type TurnScope } from '../tool.js';
import type { BuiltinWork } from './builtin-library.js';

/** `remember`: keeps a fact about the contact of the turn. It is as trusted as what the agent was shown. */
export function remember(memories: ContactMemories): BuiltinWork {
  return {
    external: false,
    run: async (args, { turn, window }) => {
      const owner = ownerOf(turn);
      if ('error' in owner) return owner;
      // One fact is one line of the prompt.
      const text = String(args['text']).replaceAll('\0', '\ufffd').toWellFormed().replace(/\s+/g, ' ').trim();
      if (text === '') return failure('invalid_arguments', 'Give a text.');
      const days = args['expires_in_days'] === undefined ? null : Number(args['expires_in_days']);
      const { turnId, receiptId } = turn;
      const id = await memories.remember(owner, { text, content_trust: window, turnId, receiptId, days });
      if (id === null) return failure('memory_full', 'Too much is remembered of this contact: forget something first.');
      return { memory_id: id };
    },
  };
}

/** `forget`: deletes what the agent itself remembers of the contact of the turn. */
export function forget(memories: ContactMemories): BuiltinWork {
  return {
    external: false,
    run: async (args, { turn }) => {
      const owner = ownerOf(turn);
      if ('error' in owner) return owner;
      return { forgotten: await memories.forget(owner, String(args['memory_id'])) };
    },
  };
}

function ownerOf({ contactId, ...turn }: TurnScope): MemoryOwner | ToolFailure {
  if (contactId === null) return failure('no_contact', 'This turn answers no contact, so there is nobody to remember.');
  return { organizationId: turn.organizationId, projectId: turn.projectId, agentId: turn.agentId, contactId };
}
