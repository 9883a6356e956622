import { until } from '#libs/testing';
import { FakeMcpServer } from '../../../apps/mcp-registry/src/testing/fake-mcp-server.js';
import { openApi, type InstalledApp } from '../../system/api.js';
import { openDocumentAdapter } from '../../system/document-adapter.js';
import { hmac, post } from '../../system/webhook.js';
import type { Tenant } from './tenant.js';

/** What tenants are connected to: a library, an MCP server, and the shipped adapter that any program may write to. */
export interface Providers {
  libraryUrl: string;
  mcpUrl: string;
  genericUrl: string;
  close(): Promise<void>;
}

const secret = `whsec_${Buffer.from('a secret that both ends know').toString('base64')}`;

export async function openProviders(adaptersOrigin: string): Promise<Providers> {
  const [library, server] = await Promise.all([openDocumentAdapter(2), FakeMcpServer.start()]);
  return {
    libraryUrl: library.url,
    mcpUrl: server.url,
    genericUrl: `${adaptersOrigin}/generic`,
    close: async () => {
      await library.close();
      await server.stop();
    },
  };
}

/** Documents, tools of an MCP server, and a contact with a held message. @param word is part of every name */
export async function connectTenant(origin: string, { key }: Tenant, word: string, given: Providers): Promise<void> {
  const { api, credential } = openApi(origin, key);
  const ask = <T = { id: string }>(method: string, path: string, body?: object): Promise<T> =>
    api<T>(method, `/api/v1/${path}`, body);
  const name = `of ${word}`;
  await ask('POST', 'mcp-servers', { url: given.mcpUrl, name });
  const library = await ask('POST', 'adapters', { url: given.libraryUrl });
  const shelf = await ask('POST', 'apps', { name: `shelf ${word}`, kind: 'adapter', adapter_id: library.id });
  const source = await ask('POST', 'sources', { app_id: shelf.id, name, resource_path: word });
  const run = await ask('POST', `sources/${source.id}/sync`);
  await until('the source is synchronised', async () => {
    const { state } = await ask<{ state: string }>('GET', `sources/${source.id}/runs/${run.id}`);
    return state === 'succeeded';
  });
  const generic = await ask('POST', 'adapters', { url: given.genericUrl });
  const credential_id = await credential({ signing_secret: secret });
  const installed = { name: `chat ${word}`, kind: 'adapter', adapter_id: generic.id, credential_id };
  const app = await ask<InstalledApp>('POST', 'apps', installed);
  await ask('PUT', `channels/${app.id}`, { unknown_senders: 'hold', session_scope: 'contact' });
  const body = JSON.stringify({ sender: word, message: word, id: '1', reply_to: `${origin}/nothing` });
  await until('the message is held', async () => {
    await post(app.webhook_url, body, { 'x-signature-256': hmac(secret, body) });
    return (await ask<{ data: object[] }>('GET', 'held-messages')).data.length > 0;
  });
}
