import { exits } from '../api/cli-error.js';
import type { Command } from '../call/command.js';
import { table } from '../call/table.js';
import { paging } from './filters.js';

interface ApiKey {
  id: string;
  name: string;
  last4: string;
  scopes: string[];
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

const list: Command = {
  name: 'apikey',
  summary: 'Lists the API keys of the project',
  options: paging,
  scopes: '`keys:read`',
  examples: ['gatehouse apikey'],
  run: async (call) => {
    const asked = { limit: call.value('limit') ?? '20', cursor: call.value('cursor') };
    const page = await call.api().get<{ data: ApiKey[]; next_cursor: string | null }>('api-keys', asked);
    call.print(page);
    const rows = page.data.map((key) => [
      key.id,
      key.name,
      `...${key.last4}`,
      key.revoked_at ? 'revoked' : key.expires_at ? `until ${key.expires_at}` : 'valid',
      key.last_used_at,
      key.scopes.join(' '),
    ]);
    for (const line of table(['ID', 'NAME', 'ENDS ON', 'STATE', 'LAST USED', 'SCOPES'], rows)) call.say(line);
    if (page.next_cursor) call.note(`Next page: --cursor ${page.next_cursor}`);
    return exits.done;
  },
};

const create: Command = {
  name: 'apikey create',
  arguments: '<name> <scopes>',
  summary: 'Creates an API key and prints it; it is not shown again',
  options: {
    expires: { value: 'TIME', help: 'When it stops working (RFC 3339). Default: with the key that creates it' },
  },
  scopes: '`keys:write`, and each scope of the new key',
  notes: ['Scopes are separated by commas. Without `--json` only the key is on stdout.'],
  examples: ['gatehouse apikey create ci events:read,deliveries:read --expires 2027-01-01T00:00:00Z'],
  run: async (call) => {
    const [name = '', scopes = ''] = call.arguments;
    const expires = call.value('expires');
    const body = { name, scopes: scopes.split(','), ...(expires ? { expires_at: expires } : {}) };
    const made = await call.api().post<ApiKey & { key: string }>('api-keys', body);
    call.print(made);
    call.note(`Created ${made.id} (${made.name}). The key is shown only once:`);
    call.say(made.key);
    return exits.done;
  },
};

const revoke: Command = {
  name: 'apikey revoke',
  arguments: '<id>',
  summary: 'Revokes an API key and the keys that it created',
  scopes: '`keys:write`',
  examples: ['gatehouse apikey revoke key_...'],
  run: async (call) => {
    const [id = ''] = call.arguments;
    await call.api().delete(`api-keys/${encodeURIComponent(id)}`);
    call.print({ id, revoked: true });
    call.say(`${id} and the keys that it created no longer work.`);
    return exits.done;
  },
};

export const apiKeyCommands = [list, create, revoke];
